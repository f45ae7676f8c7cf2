package io.tensorferry.verbs.rendezvous;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongFunction;
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
    private final Map<Long, R> open = new HashMap<>();
    private final Map<Long, Boolean> closed = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    };
    private long droppedSends;
    private boolean stopped;

    public StepTable(LongFunction<R> factory) {
        this.factory = factory;
    }

    /// The rendezvous of `stepId`; a closed step that is asked for by this worker starts anew.
    public synchronized R open(long stepId) {
        if (stopped) {
            R ended = factory.apply(stepId);
            ended.close();
            return ended;
        }
        closed.remove(stepId);
        return open.computeIfAbsent(stepId, factory::apply);
    }

    /// The rendezvous of `stepId` for a peer's request, or null if this worker has closed the step.
    public synchronized @Nullable R openForPeer(long stepId) {
        return stopped || closed.containsKey(stepId) ? null : open.computeIfAbsent(stepId, factory::apply);
    }

    /// Ends a step: what waits fails with `ABORTED`, sends that nobody asked for are dropped and counted, their
    /// memory goes back to the pool. A step that does not exist is marked as closed.
    ///
    /// @return the sends that were dropped
    public int close(long stepId) {
        R rendezvous;
        synchronized (this) {
            rendezvous = open.remove(stepId);
            closed.put(stepId, true);
        }
        int dropped = rendezvous == null ? 0 : rendezvous.close();
        synchronized (this) {
            droppedSends += dropped;
        }
        return dropped;
    }

    /// Ends every step, and every one that is opened later.
    public void closeAll() {
        Long[] ids;
        synchronized (this) {
            stopped = true;
            ids = open.keySet().toArray(Long[]::new);
        }
        for (Long id : ids) {
            close(id);
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
