package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.CopyTask;

/// The last of a receive whose content the sender has written into memory of an accelerator, and that is there for the
/// accelerator's own work only when it is flushed. What [io.tensorferry.api.Delivery] the user wants does not matter:
/// there is no event for it.
///
/// Owner: the accelerator's queue of copies.
final class DirectDelivery extends CopyTask {
    private final TransferContext context;
    private final RemoteReceive receive;
    private final DirectResult landed;

    /// @param landed is this delivery's from now on
    DirectDelivery(TransferContext context, RemoteReceive receive, DirectResult landed) {
        this.context = context;
        this.receive = receive;
        this.landed = landed;
    }

    void start() {
        landed.unit().copies().whenWritten(this);
    }

    @Override
    protected void onDone() {
        receive.complete(landed.result());
    }

    @Override
    protected void onFailed(TransportException cause, boolean stranded) {
        landed.unit().copies().release(landed.tensor());
        context.counters().failedReceives.increment();
        receive.complete(new RecvResult.Failed(cause));
    }
}
