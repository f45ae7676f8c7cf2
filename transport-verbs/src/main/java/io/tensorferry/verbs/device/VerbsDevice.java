package io.tensorferry.verbs.device;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An opened RDMA device: its limits, its ports, and the objects that are made on it.
///
/// Threading: any thread.
public interface VerbsDevice extends AutoCloseable {
    /// Full membership in the partition that every port is in, unless a subnet manager says otherwise.
    int DEFAULT_PARTITION_KEY = 0xFFFF;

    String name();

    /// Who made it and what it is; for people; only [io.tensorferry.verbs.device.choice.ChosenPort#fabric()] decides by
    /// it.
    DeviceDescription description();

    /// The device's limits; they do not change while it is open.
    DeviceAttributes attributes();

    /// The NUMA node that the device is attached to, counted from 0; -1 where there is none, or it is not known.
    default int numaNode() {
        return -1;
    }

    /// The state of a port now.
    ///
    /// @param portNumber 1 to `attributes().portCount()`
    /// @throws IllegalArgumentException if there is no such port
    PortAttributes port(int portNumber);

    /// An entry of a port's GID table; an unused entry has the zero GID.
    ///
    /// @param index 0 to `port(portNumber).gidTableLength() - 1`
    /// @throws IllegalArgumentException if there is no such port or entry
    GidEntry gid(int portNumber, int index);

    /// Why this process cannot send under an entry of a port's GID table that is in use; null where nothing is known
    /// against it. For Ethernet.
    default @Nullable String gidObstacle(int portNumber, int index) {
        return null;
    }

    /// An entry of a port's partition-key table, 16 bits: the highest says that this end is a full member of the
    /// partition that the others name. 0 in those means that the entry is unused.
    ///
    /// @param index 0 to `port(portNumber).pkeyTableLength() - 1`
    /// @throws VerbsException if the device refuses
    default int partitionKey(int portNumber, int index) {
        return DEFAULT_PARTITION_KEY;
    }

    /// @throws VerbsException if the device refuses
    ProtectionDomain allocateProtectionDomain();

    /// @throws VerbsException if the device refuses
    CompletionChannel createCompletionChannel();

    /// @param minimumEntries completions that it must hold at once, 1 to `attributes().maxCompletionQueueEntries()`
    /// @param channel where it announces completions after [CompletionQueue#requestNotification()], or null
    /// @throws VerbsException if the device refuses
    CompletionQueue createCompletionQueue(int minimumEntries, @Nullable CompletionChannel channel);

    /// The same on one of several completion vectors: each has an interrupt of its own, which the system may have
    /// another processor handle.
    ///
    /// @param vector 0 to [#completionVectors()] - 1
    default CompletionQueue createCompletionQueue(int minimumEntries, @Nullable CompletionChannel channel, int vector) {
        return createCompletionQueue(minimumEntries, channel);
    }

    /// How many interrupts completions are announced by (`num_comp_vectors`), 1 or more.
    default int completionVectors() {
        return 1;
    }

    /// Where asynchronous events go from now on. It runs on the device's own thread and must not block; events
    /// before the first call are dropped.
    void onAsyncEvent(Consumer<AsyncEvent> listener);

    /// @throws VerbsException if objects made on this device are still open
    @Override
    void close();
}
