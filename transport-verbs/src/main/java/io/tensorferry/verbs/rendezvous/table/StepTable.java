package io.tensorferry.verbs.rendezvous.table;

import io.tensorferry.verbs.config.RendezvousLimits;
import io.tensorferry.verbs.rendezvous.ReceiveDeadline;
import io.tensorferry.verbs.statistics.StepStatistics;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The rendezvous of each open step. A rendezvous is created when this worker or a peer first names the step, and
/// removed when the step is closed.
///
/// The table remembers the last [#REMEMBERED] closed steps, so that a late request of a peer does not reopen a finished
/// step.
///
/// Threading: any thread.
///
/// @param <R> the rendezvous type of the transport
public final class StepTable<R extends StepRendezvous> {
    private static final Logger LOG = LoggerFactory.getLogger(StepTable.class);
    private static final int REMEMBERED = 4096;
    /// The number of open steps of this worker that triggers a warning; training does not run this many steps at once.
    static final int MANY_OWN = 1000;

    private final LongFunction<R> factory;
    private final LongTable<OpenStep<R>> open = new LongTable<>();
    private final Map<Long, Boolean> closed = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    };
    private final PeerLoads loads;
    // The number of open steps that this worker has named.
    private int own;
    private long droppedSends;
    private boolean warned;
    private boolean stopped;

    /// @param limits how much peers may park here
    public StepTable(LongFunction<R> factory, RendezvousLimits limits) {
        this.factory = factory;
        this.loads = new PeerLoads(limits);
    }

    private static final class OpenStep<R> implements LongTable.Entry<OpenStep<R>> {
        private final long stepId;
        private @Nullable OpenStep<R> next;
        private final R rendezvous;
        // The peer that named the step; null once this worker has named it. This worker closes the steps it has named.
        private @Nullable String namedBy;
        // The number of peer requests that use the step.
        private int requests;
        // The time when this worker named the step.
        private long namedNs;

        OpenStep(long stepId, R rendezvous, @Nullable String namedBy) {
            this.stepId = stepId;
            this.rendezvous = rendezvous;
            this.namedBy = namedBy;
        }

        @Override
        public long id() {
            return stepId;
        }

        @Override
        public @Nullable OpenStep<R> next() {
            return next;
        }

        @Override
        public void next(@Nullable OpenStep<R> entry) {
            next = entry;
        }
    }

    /// Returns the rendezvous of `stepId`, creating it if needed; a closed step that this worker opens again starts
    /// anew.
    public R open(long stepId) {
        OpenStep<R> step;
        boolean warns;
        synchronized (this) {
            if (stopped) {
                R ended = factory.apply(stepId);
                ended.stop();
                return ended;
            }
            step = openOwn(stepId);
            warns = own >= MANY_OWN && !warned;
            warned |= warns;
        }
        if (warns) {
            warnOfOwn();
        }
        return step.rendezvous;
    }

    private OpenStep<R> openOwn(long stepId) {
        closed.remove(stepId);
        OpenStep<R> step = open.get(stepId);
        if (step == null) {
            step = new OpenStep<>(stepId, factory.apply(stepId), null);
            step.namedNs = System.nanoTime();
            open.add(step);
            own++;
        }
        endNaming(step);
        return step;
    }

    /// Warns about steps that this worker has named and neither finished nor closed.
    private void warnOfOwn() {
        StepStatistics now = statistics();
        LOG.warn(
                "{} steps of this worker are open, the oldest for {} s: TransportServer.finishStep or closeStep"
                        + " ends a step; until then the step and its unclaimed tensors stay in memory",
                now.own(),
                now.oldestOwn().toSeconds());
    }

    /// Returns the rendezvous of the step that a peer's request names, or null if this worker has closed the step. The
    /// caller reports the end of the request by [#release].
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
        step.rendezvous.beginUse();
        return step.rendezvous;
    }

    /// Ends a peer's request, which must have left nothing in `rendezvous`. A step that only peers have named is
    /// removed with its last request; otherwise peers could name steps without bound.
    public void release(PeerRequest request, R rendezvous) {
        endRequest(request, rendezvous);
        rendezvous.endUse();
    }

    private synchronized void endRequest(PeerRequest request, R rendezvous) {
        loads.endRequest(request);
        long stepId = request.stepId();
        OpenStep<R> step = open.get(stepId);
        if (step != null && step.rendezvous.equals(rendezvous)) {
            step.requests--;
            if (step.requests == 0 && step.namedBy != null) {
                loads.endStep(step.namedBy);
                open.remove(stepId);
            }
        }
    }

    private void endNaming(OpenStep<R> step) {
        if (step.namedBy != null) {
            loads.endStep(step.namedBy);
            step.namedBy = null;
            step.namedNs = System.nanoTime();
            own++;
        }
    }

    /// Refuses further sends of this worker in a step, and closes the step once every send has been taken by its
    /// receiver and all receives of this worker have ended. After `timeout` the step is closed as by [#close]. A step
    /// that does not exist is marked as closed.
    ///
    /// @return completes when the step is closed, on the thread that closes it. Fails with a
    ///     [io.tensorferry.api.TransportException]: `DEADLINE_EXCEEDED` with the remaining work, or the cause that
    ///     ended the step before
    public CompletableFuture<Void> finish(long stepId, Duration timeout) {
        OpenStep<R> step;
        synchronized (this) {
            step = open.get(stepId);
            if (step == null) {
                closed.put(stepId, true);
                return CompletableFuture.completedFuture(null);
            }
            endNaming(step);
        }
        CompletableFuture<Void> done = step.rendezvous.finish(() -> leave(step));
        if (!done.isDone()) {
            var deadline = new ReceiveDeadline();
            var _ = done.whenComplete((_, _) -> deadline.end());
            deadline.start(step.rendezvous.timer(), timeout, () -> step.rendezvous.expire(timeout, this::drop));
        }
        return done;
    }

    @SuppressWarnings("ReferenceEquality") // another step may have its number by then
    private synchronized void leave(OpenStep<R> step) {
        if (open.get(step.id()) == step) {
            open.remove(step.id());
            forgetOwn(step);
            closed.put(step.id(), true);
        }
    }

    private void forgetOwn(OpenStep<R> step) {
        if (step.namedBy != null) {
            loads.endStep(step.namedBy);
            step.namedBy = null;
        } else {
            own--;
        }
    }

    private synchronized void drop(int sends) {
        droppedSends += sends;
    }

    /// Closes a step: waiting receives fail with `ABORTED`, unclaimed sends are dropped and counted, and their memory
    /// returns to the pool. A step that does not exist is marked as closed.
    ///
    /// @return the number of sends dropped
    public int close(long stepId) {
        return end(stepId, StepRendezvous::close);
    }

    private int end(long stepId, ToIntFunction<StepRendezvous> how) {
        OpenStep<R> step;
        synchronized (this) {
            step = open.remove(stepId);
            if (step != null) {
                forgetOwn(step);
            }
            closed.put(stepId, true);
        }
        int dropped = step == null ? 0 : how.applyAsInt(step.rendezvous);
        drop(dropped);
        return dropped;
    }

    /// Closes every step, and every step that is opened later.
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

    public synchronized StepStatistics statistics() {
        long now = System.nanoTime();
        long oldest = 0;
        for (OpenStep<R> step : open.all()) {
            oldest = step.namedBy == null ? Math.max(oldest, now - step.namedNs) : oldest;
        }
        return new StepStatistics(open.size(), own, Duration.ofNanos(oldest), droppedSends);
    }
}
