package io.tensorferry.verbs.rendezvous;

import java.util.Set;

/// What a rendezvous must know of the worker that it runs on. Immutable.
///
/// @param name this worker, as `/job:worker/replica:0/task:1`
/// @param members every worker of the cluster, this one too
/// @param callbacks where users' callbacks run
/// @param timer keeps the deadlines of receives
/// @param limits what may pile up, and how large a tensor may be
public record WorkerContext(
        String name, Set<String> members, CallbackExecutor callbacks, ReceiveTimer timer, RendezvousLimits limits) {
    public WorkerContext {
        members = Set.copyOf(members);
    }

    boolean isMember(String worker) {
        return members.contains(worker);
    }
}
