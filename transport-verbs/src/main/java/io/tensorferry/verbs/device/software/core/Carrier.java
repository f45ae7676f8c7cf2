package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.VerbsDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Carries the requests of one device's queue pairs to their peers. Belongs to one [SoftwareDevice], which closes it.
public interface Carrier extends AutoCloseable {
    DeviceLoop loop();

    /// The GID that the device has from the start.
    Gid gid();

    /// The number of entries in the GID table.
    default int gidTableLength() {
        return 1;
    }

    /// The entry of the GID table at `index`; zero if unused.
    default Gid gid(int index) {
        return gid();
    }

    /// The only entry of the partition-key table.
    default int partitionKey() {
        return VerbsDevice.DEFAULT_PARTITION_KEY;
    }

    /// The LID. LID and GID together are the address at which peers reach this device.
    int lid();

    /// Starts to accept requests from peers. Called once, before any other method.
    void start(SoftwareDevice device);

    /// Creates the connection of a new queue pair. Threading: any thread.
    Link link(SoftwareQueuePair queuePair);

    /// Allocates memory from which this carrier sends payload most efficiently. Threading: any thread.
    ///
    /// @return zeroed memory that lives as long as `arena`
    default MemorySegment allocate(Arena arena, long bytes, long alignment) {
        return arena.allocate(bytes, alignment);
    }

    @Override
    void close();
}
