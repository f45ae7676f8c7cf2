package io.tensorferry.grpc;

import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.StepRendezvous;
import io.tensorferry.verbs.rendezvous.WorkerContext;

/// The rendezvous of one step whose tensors travel over gRPC.
///
/// Threading: any thread.
final class GrpcRendezvous extends StepRendezvous {
    private final RecvTensorCaller caller;

    GrpcRendezvous(long stepId, WorkerContext worker, RecvTensorCaller caller) {
        super(stepId, worker);
        this.caller = caller;
    }

    @Override
    protected void startRemote(RemoteReceive receive) {
        caller.start(receive);
    }
}
