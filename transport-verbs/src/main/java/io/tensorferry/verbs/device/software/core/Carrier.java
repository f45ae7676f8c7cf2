package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.VerbsDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// What takes the requests of one device's queue pairs to their peers. Belongs to one [SoftwareDevice], which
/// closes it.
public interface Carrier extends AutoCloseable {
    DeviceLoop loop();

    /// The one that the device has from the start.
    Gid gid();

    /// How many entries the GID table has.
    default int gidTableLength() {
        return 1;
    }

    /// An entry of the GID table; zero where it is unused.
    default Gid gid(int index) {
        return gid();
    }

    /// The only entry of the partition-key table.
    default int partitionKey() {
        return VerbsDevice.DEFAULT_PARTITION_KEY;
    }

    /// With the GID, the whole address at which peers reach this device.
    int lid();

    /// Begins to take requests from peers. Called once, before anything else.
    void start(SoftwareDevice device);

    /// Makes the connection of a new queue pair; called on any thread.
    Link link(SoftwareQueuePair queuePair);

    /// Memory out of which payload travels best. Any thread.
    ///
    /// @return zeroed memory that lives as long as `arena`
    default MemorySegment allocate(Arena arena, long bytes, long alignment) {
        return arena.allocate(bytes, alignment);
    }

    @Override
    void close();
}
