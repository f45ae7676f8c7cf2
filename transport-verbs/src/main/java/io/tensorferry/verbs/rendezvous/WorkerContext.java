package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.verbs.config.RendezvousLimits;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The properties of a worker that its rendezvous need. Immutable.
///
/// @param name this worker, as `/job:worker/replica:0/task:1`
/// @param members every worker of the cluster, including this worker
/// @param callbacks runs the users' callbacks
/// @param timer schedules the deadlines of receives
/// @param limits bounds on parked requests, unclaimed sends and tensor size
/// @param obstacles describes why this worker cannot reach others
public record WorkerContext(
        String name,
        Set<String> members,
        CallbackExecutor callbacks,
        ReceiveTimer timer,
        RendezvousLimits limits,
        Obstacles obstacles) {
    /// Describes why a worker cannot reach other workers, as far as connection attempts have shown.
    public interface Obstacles {
        /// Returns a description such as `no connection to host:2222: Connection refused`; null if no obstacle is
        /// known.
        ///
        /// @param worker the name of the other worker
        @Nullable
        String obstacle(String worker);
    }

    /// Creates a context without known obstacles.
    public WorkerContext(
            String name, Set<String> members, CallbackExecutor callbacks, ReceiveTimer timer, RendezvousLimits limits) {
        this(name, members, callbacks, timer, limits, _ -> null);
    }

    public WorkerContext {
        members = Set.copyOf(members);
    }

    /// Describes why this worker cannot reach the producer of `key`; null if no obstacle is known.
    @Nullable
    public String obstacle(RendezvousKey key) {
        String producer = key.source().worker();
        return producer.equals(name) ? null : obstacles.obstacle(producer);
    }

    public boolean isMember(String worker) {
        return members.contains(worker);
    }
}
