package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.verbs.config.RendezvousLimits;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a rendezvous must know of the worker that it runs on. Immutable.
///
/// @param name this worker, as `/job:worker/replica:0/task:1`
/// @param members every worker of the cluster, this one too
/// @param callbacks where users' callbacks run
/// @param timer keeps the deadlines of receives
/// @param limits what may pile up, and how large a tensor may be
/// @param obstacles what keeps this worker from reaching others
public record WorkerContext(
        String name,
        Set<String> members,
        CallbackExecutor callbacks,
        ReceiveTimer timer,
        RendezvousLimits limits,
        Obstacles obstacles) {
    /// What keeps a worker from reaching others, as far as somebody has tried.
    public interface Obstacles {
        /// As `no connection to host:2222: Connection refused`; null where nothing is known.
        ///
        /// @param worker the other, by its name
        @Nullable
        String obstacle(String worker);
    }

    /// Where nothing is known of others.
    public WorkerContext(
            String name, Set<String> members, CallbackExecutor callbacks, ReceiveTimer timer, RendezvousLimits limits) {
        this(name, members, callbacks, timer, limits, _ -> null);
    }

    public WorkerContext {
        members = Set.copyOf(members);
    }

    /// What keeps the tensor of `key` from this worker, as far as its producer can be reached at all.
    @Nullable
    public String obstacle(RendezvousKey key) {
        String producer = key.source().worker();
        return producer.equals(name) ? null : obstacles.obstacle(producer);
    }

    public boolean isMember(String worker) {
        return members.contains(worker);
    }
}
