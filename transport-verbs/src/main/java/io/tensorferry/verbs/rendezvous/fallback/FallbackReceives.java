package io.tensorferry.verbs.rendezvous.fallback;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.RendezvousCounters;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The receives from one peer that go over the fallback.
///
/// Of several receives for one key the next is started when the peer has the one before, so that they are served in
/// their order; until then none for this key may take another way. One that ends before it is started leaves its queue
/// at once, at a cost that does not depend on how many wait.
///
/// Owner: the loop; any thread may count.
public final class FallbackReceives {
    private final FallbackPath path;
    private final Executor loop;
    private final RendezvousCounters counters;
    private final Map<Slot, LinkedHashSet<Waiting>> queues = new HashMap<>();
    private final AtomicInteger underWay = new AtomicInteger();
    // Receives that the peer may have a tensor for, and has not been told that they are asked for again.
    private int unclaimed;
    private @Nullable Runnable whenClaimed;

    public FallbackReceives(FallbackPath path, Executor loop, RendezvousCounters counters) {
        this.path = path;
        this.loop = loop;
        this.counters = counters;
    }

    private record Slot(long stepId, String key) {
        static Slot of(RemoteReceive receive) {
            return new Slot(receive.stepId(), receive.key().toString());
        }
    }

    private static final class Waiting {
        private final RemoteReceive receive;
        private final @Nullable SentRequest sent;

        Waiting(RemoteReceive receive, @Nullable SentRequest sent) {
            this.receive = receive;
            this.sent = sent;
        }
    }

    /// Whether a receive for this key waits until the peer has it.
    public boolean holds(long stepId, RendezvousKey key) {
        return !queues.isEmpty() && queues.containsKey(new Slot(stepId, key.toString()));
    }

    /// Receives that have not ended. Any thread.
    public int size() {
        return underWay.get();
    }

    public void add(RemoteReceive receive, @Nullable SentRequest sent) {
        underWay.incrementAndGet();
        if (sent != null) {
            unclaimed++;
        }
        var slot = Slot.of(receive);
        var added = new Waiting(receive, sent);
        LinkedHashSet<Waiting> queue = queues.get(slot);
        if (queue == null) {
            queues.put(slot, new LinkedHashSet<>());
            start(slot, added);
        } else {
            queue.add(added);
            receive.onGivenUp(() -> loop.execute(() -> leave(slot, added)));
        }
    }

    /// Nobody waits for its end any more; does nothing if it was started.
    private void leave(Slot slot, Waiting given) {
        LinkedHashSet<Waiting> queue = queues.get(slot);
        if (queue != null && queue.remove(given)) {
            underWay.decrementAndGet();
            claimed(given.sent != null);
        }
    }

    /// @param claims whether the peer may have had a tensor for it
    private void claimed(boolean claims) {
        if (claims && --unclaimed == 0 && whenClaimed != null) {
            Runnable action = whenClaimed;
            whenClaimed = null;
            action.run();
        }
    }

    /// Runs `action` when there is nothing that the peer may have to keep for a claim that is still to come, at once if
    /// that is so now. Takes the place of an action that waits.
    public void whenClaimed(Runnable action) {
        if (unclaimed == 0) {
            action.run();
        } else {
            whenClaimed = action;
        }
    }

    private void start(Slot slot, Waiting next) {
        var transfer = new Transfer(slot, next);
        if (next.receive.hasEnded()) {
            transfer.onEnded();
            return;
        }
        counters.fallbackReceives.increment();
        try {
            path.start(next.receive, next.sent, transfer);
        } catch (RuntimeException e) {
            next.receive.complete(new RecvResult.Failed(next.receive.asFailure(e)));
            transfer.onEnded();
        }
    }

    private void startNext(Slot slot) {
        LinkedHashSet<Waiting> queue = queues.get(slot);
        if (queue == null || queue.isEmpty()) {
            queues.remove(slot);
        } else {
            start(slot, queue.removeFirst());
        }
    }

    private final class Transfer implements FallbackPath.Progress {
        private final Slot slot;
        private final boolean claims;
        // On the loop.
        private boolean taken;
        private boolean ended;

        Transfer(Slot slot, Waiting started) {
            this.slot = slot;
            this.claims = started.sent != null;
        }

        @Override
        public void onTaken() {
            loop.execute(this::take);
        }

        @Override
        public void onEnded() {
            loop.execute(() -> {
                take();
                if (!ended) {
                    ended = true;
                    underWay.decrementAndGet();
                }
            });
        }

        private void take() {
            if (taken) {
                return;
            }
            taken = true;
            claimed(claims);
            startNext(slot);
        }
    }
}
