package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import io.tensorferry.verbs.rendezvous.table.StepRendezvous;

/// The rendezvous of one step over RDMA: tensors are written from the source tensor's registered memory directly into
/// the result's memory.
///
/// Created by [RdmaRendezvousManager#rendezvous]. Threading: any thread.
public final class RdmaRendezvous extends StepRendezvous {
    private final RdmaRendezvousManager manager;

    RdmaRendezvous(long stepId, WorkerContext worker, RdmaRendezvousManager manager) {
        super(stepId, worker, manager.accelerators(), manager.hostMemory());
        this.manager = manager;
    }

    @Override
    protected void startRemote(RemoteReceive receive) {
        manager.request(receive);
    }

    @Override
    protected void checkLeaves(RendezvousKey key, Tensor tensor) {
        manager.checkLeaves(key, tensor);
    }

    @Override
    protected void onEnd(TransportException cause) {
        manager.endWaits(this, cause);
    }
}
