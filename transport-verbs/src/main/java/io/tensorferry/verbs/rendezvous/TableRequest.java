package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A [StreamedRequest] that waits in the table of its step.
///
/// Threading: any thread.
///
/// @param <R> the rendezvous of the transport
public final class TableRequest<R extends StepRendezvous> implements StreamedRequest {
    private final StepTable<R> steps;
    private final PeerRequest request;
    private final RendezvousKey key;
    private final R rendezvous;
    private final UnaryOperator<Taker> takers;
    private volatile TagTable.@Nullable Waiter waiter;

    private TableRequest(
            StepTable<R> steps, PeerRequest request, RendezvousKey key, R rendezvous, UnaryOperator<Taker> takers) {
        this.steps = steps;
        this.request = request;
        this.key = key;
        this.rendezvous = rendezvous;
        this.takers = takers;
    }

    /// @throws TransportException `ABORTED` if this worker has closed the step, `RESOURCE_EXHAUSTED` if the peer has
    ///     parked too much
    public static <R extends StepRendezvous> TableRequest<R> open(
            StepTable<R> steps, String peer, long stepId, RendezvousKey key) {
        return open(steps, peer, stepId, key, UnaryOperator.identity());
    }

    /// @param takers gives what is told in place of a taker
    static <R extends StepRendezvous> TableRequest<R> open(
            StepTable<R> steps, String peer, long stepId, RendezvousKey key, UnaryOperator<Taker> takers) {
        PeerRequest request = PeerRequest.of(stepId, peer, key);
        R rendezvous = steps.openForPeer(request);
        if (rendezvous == null) {
            throw new TransportException(StatusCode.ABORTED, "step " + stepId + " is closed");
        }
        return new TableRequest<>(steps, request, key, rendezvous, takers);
    }

    @Override
    public void take(Taker taker) {
        Taker told = takers.apply(taker);
        var waiting = TagTable.Waiter.of(told);
        waiter = waiting;
        rendezvous.table().receive(key, waiting);
        told.onTaken();
    }

    @Override
    public boolean giveUp() {
        TagTable.Waiter waiting = waiter;
        return waiting != null && rendezvous.table().remove(waiting);
    }

    @Override
    public void end() {
        steps.release(request, rendezvous);
    }
}
