package io.tensorferry.verbs.device;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An open RDMA device: its attributes, its ports, and a factory for its objects (`ibv_context`).
///
/// Threading: any thread.
public interface VerbsDevice extends AutoCloseable {
    /// The default partition key with full membership, which every port has unless a subnet manager configures it
    /// otherwise.
    int DEFAULT_PARTITION_KEY = 0xFFFF;

    String name();

    /// Vendor and product, for display; only [io.tensorferry.verbs.device.choice.ChosenPort#fabric()] bases a decision
    /// on it.
    DeviceDescription description();

    /// The device's limits; they do not change while it is open.
    DeviceAttributes attributes();

    /// The NUMA node that the device is attached to, from 0; -1 if there is none or it is unknown.
    default int numaNode() {
        return -1;
    }

    /// Queries the current state of a port.
    ///
    /// @param portNumber 1 to `attributes().portCount()`
    /// @throws IllegalArgumentException if there is no such port
    PortAttributes port(int portNumber);

    /// Queries an entry of a port's GID table; an unused entry has the zero GID.
    ///
    /// @param index 0 to `port(portNumber).gidTableLength() - 1`
    /// @throws IllegalArgumentException if there is no such port or entry
    GidEntry gid(int portNumber, int index);

    /// Returns the reason why this process cannot send from a GID table entry that is in use; null if no obstacle is
    /// known. For Ethernet ports.
    default @Nullable String gidObstacle(int portNumber, int index) {
        return null;
    }

    /// Queries an entry of a port's partition-key table, 16 bits. The highest bit marks full membership in the
    /// partition that the other bits name; if those are 0, the entry is unused.
    ///
    /// @param index 0 to `port(portNumber).pkeyTableLength() - 1`
    /// @throws VerbsException if the device rejects the call
    default int partitionKey(int portNumber, int index) {
        return DEFAULT_PARTITION_KEY;
    }

    /// @throws VerbsException if the device rejects the call
    ProtectionDomain allocateProtectionDomain();

    /// @throws VerbsException if the device rejects the call
    CompletionChannel createCompletionChannel();

    /// @param minimumEntries minimum capacity in completions, 1 to `attributes().maxCompletionQueueEntries()`
    /// @param channel receives an event after [CompletionQueue#requestNotification()], or null
    /// @throws VerbsException if the device rejects the call
    CompletionQueue createCompletionQueue(int minimumEntries, @Nullable CompletionChannel channel);

    /// Creates a completion queue on a completion vector. Each vector has a separate interrupt, which the system can
    /// assign to another processor.
    ///
    /// @param vector 0 to [#completionVectors()] - 1
    default CompletionQueue createCompletionQueue(int minimumEntries, @Nullable CompletionChannel channel, int vector) {
        return createCompletionQueue(minimumEntries, channel);
    }

    /// The number of completion vectors (`num_comp_vectors`), 1 or more.
    default int completionVectors() {
        return 1;
    }

    /// Sets the listener for asynchronous events. It runs on the device's thread and must not block. Events before the
    /// first call are dropped.
    void onAsyncEvent(Consumer<AsyncEvent> listener);

    /// @throws VerbsException if objects made on this device are still open
    @Override
    void close();
}
