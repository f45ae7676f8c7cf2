package io.tensorferry.verbs.rendezvous.table;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.rendezvous.StreamedRequest;
import org.jspecify.annotations.Nullable;

/// A [StreamedRequest] that waits in the table of its step.
///
/// Threading: any thread.
///
/// @param <R> the rendezvous type of the transport
public final class TableRequest<R extends StepRendezvous> implements StreamedRequest {
    private final StepTable<R> steps;
    private final PeerRequest request;
    private final RendezvousKey key;
    private final R rendezvous;
    private volatile @Nullable HostedTaker told;
    private volatile TagTable.@Nullable Waiter waiter;

    private TableRequest(StepTable<R> steps, PeerRequest request, RendezvousKey key, R rendezvous) {
        this.steps = steps;
        this.request = request;
        this.key = key;
        this.rendezvous = rendezvous;
    }

    /// @throws TransportException `ABORTED` if this worker has closed the step, `RESOURCE_EXHAUSTED` if the peer has
    ///     parked too much
    public static <R extends StepRendezvous> TableRequest<R> open(
            StepTable<R> steps, String peer, long stepId, RendezvousKey key) {
        PeerRequest request = PeerRequest.of(stepId, peer, key);
        R rendezvous = steps.openForPeer(request);
        if (rendezvous == null) {
            throw new TransportException(StatusCode.ABORTED, "step " + stepId + " is closed");
        }
        return new TableRequest<>(steps, request, key, rendezvous);
    }

    @Override
    public void take(Taker taker) {
        var hosted = new HostedTaker(taker, rendezvous.waits(), request.peer());
        told = hosted;
        var waiting = TagTable.Waiter.of(hosted);
        waiter = waiting;
        rendezvous.table().receive(key, waiting);
        hosted.onTaken();
    }

    @Override
    public boolean giveUp() {
        TagTable.Waiter waiting = waiter;
        if (waiting != null && rendezvous.table().remove(waiting)) {
            return true;
        }
        HostedTaker hosted = told;
        if (hosted != null) {
            hosted.giveUp();
        }
        return false;
    }

    @Override
    public void end() {
        steps.release(request, rendezvous);
    }
}
