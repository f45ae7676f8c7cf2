package io.tensorferry.grpc.tensors;

import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import io.tensorferry.verbs.rendezvous.table.StepRendezvous;

/// A [StepRendezvous] whose tensors travel over gRPC.
///
/// Threading: any thread.
public final class GrpcRendezvous extends StepRendezvous {
    private final RecvTensorCaller caller;

    public GrpcRendezvous(long stepId, WorkerContext worker, RecvTensorCaller caller) {
        super(stepId, worker);
        this.caller = caller;
    }

    @Override
    protected void startRemote(RemoteReceive receive) {
        caller.start(receive);
    }
}
