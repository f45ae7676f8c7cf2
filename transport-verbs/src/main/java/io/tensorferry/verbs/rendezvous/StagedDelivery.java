package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.Delivery;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.CopyTask;
import io.tensorferry.verbs.accelerator.Proxy;
import io.tensorferry.verbs.accelerator.ProxyWaiter;

/// The last of a receive whose result is on an accelerator: copies what has landed, and ends the receive when that is
/// done, or queued if the user wants no more ([Delivery#QUEUED]).
///
/// Owner: the accelerator's queue of copies.
final class StagedDelivery extends CopyTask implements ProxyWaiter {
    private final TransferContext context;
    private final RemoteReceive receive;
    private final StagedResult landed;
    // Whether the receive has ended before the copy.
    private boolean handedOver;

    /// @param landed is this delivery's from now on
    StagedDelivery(TransferContext context, RemoteReceive receive, StagedResult landed) {
        this.context = context;
        this.receive = receive;
        this.landed = landed;
    }

    /// On the loop, if it needs a proxy still.
    void start() {
        landed.count();
        if (landed.needsProxy()) {
            landed.acquireProxy(receive.peer(), this);
        } else {
            landed.copy(this);
        }
    }

    @Override
    public void onProxy(Proxy proxy) {
        landed.take(proxy);
        landed.copy(this);
    }

    @Override
    public void onNoProxy(TransportException cause) {
        onFailed(cause, false);
    }

    @Override
    protected boolean wantsToKnowWhenQueued() {
        return receive.options().delivery() == Delivery.QUEUED;
    }

    /// The user gets a handle of its own: the memory stays in use until the copy is done, whatever the user does.
    @Override
    protected void onQueued(DeviceEvent copied) {
        Tensor users = landed.tensor().share().readyAfter(copied);
        handedOver = true;
        receive.complete(new RecvResult.Received(users));
    }

    @Override
    protected void onDone() {
        landed.giveProxyBack();
        if (handedOver) {
            // The last handle closes the event, which may wait for the driver.
            landed.release();
        } else {
            receive.complete(landed.result());
        }
    }

    @Override
    protected void onFailed(TransportException cause, boolean stranded) {
        if (stranded) {
            landed.strandCopy();
        } else {
            // It was not queued: nobody has another handle.
            landed.close();
        }
        if (!handedOver) {
            context.counters().failedReceives.increment();
            receive.complete(new RecvResult.Failed(cause));
        }
    }
}
