package io.tensorferry.verbs.rendezvous;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// The rendezvous of each step, made when a step is first named, by this worker or by a peer, and gone when the
/// step is closed.
///
/// The last [#REMEMBERED] closed steps are remembered, so that a late request of a peer does not bring a finished
/// step back to life.
///
/// Threading: any thread.
///
/// @param <R> the rendezvous of the transport
public final class StepTable<R extends StepRendezvous> {
    private static final int REMEMBERED = 4096;

    private final LongFunction<R> factory;
    private final LongTable<OpenStep<R>> open = new LongTable<>();
    private final Map<Long, Boolean> closed = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    };
    private final PeerLoads loads;
    private long droppedSends;
    private boolean stopped;

    /// @param limits what peers may park here
    public StepTable(LongFunction<R> factory, RendezvousLimits limits) {
        this.factory = factory;
        this.loads = new PeerLoads(limits);
    }

    private static final class OpenStep<R> extends LongTable.Entry<OpenStep<R>> {
        private final R rendezvous;
        // The peer that named it, while this worker has not; this worker closes what it has named.
        private @Nullable String namedBy;
        // Requests of peers that use it.
        private int requests;

        OpenStep(long stepId, R rendezvous, @Nullable String namedBy) {
            super(stepId);
            this.rendezvous = rendezvous;
            this.namedBy = namedBy;
        }
    }

    /// The rendezvous of `stepId`; a closed step that is asked for by this worker starts anew.
    public synchronized R open(long stepId) {
        if (stopped) {
            R ended = factory.apply(stepId);
            ended.stop();
            return ended;
        }
        closed.remove(stepId);
        OpenStep<R> step = open.get(stepId);
        if (step == null) {
            step = new OpenStep<>(stepId, factory.apply(stepId), null);
            open.add(step);
        }
        endNaming(step);
        return step.rendezvous;
    }

    /// The rendezvous of the step that a peer's request names, or null if this worker has closed the step. Whoever
    /// asked says when its request has ended, by [#release].
    ///
    /// @throws io.tensorferry.api.TransportException `RESOURCE_EXHAUSTED` if the peer has parked too much
    public synchronized @Nullable R openForPeer(PeerRequest request) {
        long stepId = request.stepId();
        OpenStep<R> step = open.get(stepId);
        if (stopped || (step == null && closed.containsKey(stepId))) {
            return null;
        }
        loads.add(request, step == null);
        if (step == null) {
            step = new OpenStep<>(stepId, factory.apply(stepId), request.peer());
            open.add(step);
        }
        step.requests++;
        return step.rendezvous;
    }

    /// A peer's request that was given `rendezvous` has ended and left nothing in it. A step that nobody but peers
    /// has named goes with its last request, or else peers could name steps without end.
    public synchronized void release(PeerRequest request, R rendezvous) {
        loads.endRequest(request);
        long stepId = request.stepId();
        OpenStep<R> step = open.get(stepId);
        if (step != null && step.rendezvous.equals(rendezvous)) {
            step.requests--;
            if (step.requests == 0 && step.namedBy != null) {
                endNaming(step);
                open.remove(stepId);
            }
        }
    }

    private void endNaming(OpenStep<R> step) {
        if (step.namedBy != null) {
            loads.endStep(step.namedBy);
            step.namedBy = null;
        }
    }

    /// Ends a step: what waits fails with `ABORTED`, sends that nobody asked for are dropped and counted, their
    /// memory goes back to the pool. A step that does not exist is marked as closed.
    ///
    /// @return the sends that were dropped
    public int close(long stepId) {
        return end(stepId, StepRendezvous::close);
    }

    private int end(long stepId, ToIntFunction<StepRendezvous> how) {
        OpenStep<R> step;
        synchronized (this) {
            step = open.remove(stepId);
            if (step != null) {
                endNaming(step);
            }
            closed.put(stepId, true);
        }
        int dropped = step == null ? 0 : how.applyAsInt(step.rendezvous);
        synchronized (this) {
            droppedSends += dropped;
        }
        return dropped;
    }

    /// Ends every step, and every one that is opened later.
    public void closeAll() {
        long[] ids;
        synchronized (this) {
            stopped = true;
            ids = open.all().stream().mapToLong(LongTable.Entry::id).sorted().toArray();
        }
        for (long id : ids) {
            end(id, StepRendezvous::stop);
        }
    }

    /// Sends that were dropped at the close of their steps, since the start.
    public synchronized long droppedSends() {
        return droppedSends;
    }

    public synchronized int openSteps() {
        return open.size();
    }
}
