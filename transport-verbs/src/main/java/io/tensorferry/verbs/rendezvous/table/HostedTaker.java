package io.tensorferry.verbs.rendezvous.table;

import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.rendezvous.ContentWaits;
import io.tensorferry.verbs.rendezvous.StreamedRequest;

/// A taker that delivers tensors in host memory. It copies a tensor on an accelerator to the host and waits for pending
/// content before it notifies the wrapped taker.
///
/// Threading: any thread.
final class HostedTaker implements StreamedRequest.Taker {
    private final StreamedRequest.Taker taker;
    private final ContentWaits waits;
    private final String peer;
    private final ContentWaits.Place wait = new ContentWaits.Place();

    /// @param waits the content waits of the tensor's step
    /// @param peer the worker that the tensor is for
    HostedTaker(StreamedRequest.Taker taker, ContentWaits waits, String peer) {
        this.taker = taker;
        this.waits = waits;
        this.peer = peer;
    }

    @Override
    public void onTaken() {
        taker.onTaken();
    }

    @Override
    public void done(RecvResult result) {
        if (!(result instanceof RecvResult.Received(Tensor tensor))) {
            taker.done(result);
        } else if (!waits.knows(tensor)) {
            TransportException cause = waits.unknownDevice(tensor);
            waits.close(tensor);
            taker.done(new RecvResult.Failed(cause));
        } else if (waits.isFor(tensor, true, null)) {
            wait.begin(waits.of(tensor, ReceiveOptions.defaults(), null, peer, taker::done)
                    .outlivingStep());
        } else {
            taker.done(result);
        }
    }

    /// Gives up the tensor: fails a wait in progress with `CANCELLED`.
    void giveUp() {
        var cause = new TransportException(StatusCode.CANCELLED, "the request was given up by its receiver");
        ContentWaits.Wait begun = wait.refuse(cause);
        if (begun != null) {
            begun.giveUp(cause);
        }
    }
}
