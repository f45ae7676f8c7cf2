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
/// Receives for one key are served in order: each starts once the peer has the request before it. Until then no receive
/// for this key may take another path. A receive that ends before it is started leaves its queue at once, in constant
/// time.
///
/// Owner: the loop; any thread may call [#size()].
public final class FallbackReceives {
    private final FallbackPath path;
    private final Executor loop;
    private final RendezvousCounters counters;
    private final Map<Slot, LinkedHashSet<Waiting>> queues = new HashMap<>();
    private final AtomicInteger underWay = new AtomicInteger();
    // Receives for which the peer may already have taken a tensor, and whose new request has not reached it.
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

    /// Returns whether receives for this key must queue behind a request that the peer does not have yet.
    public boolean holds(long stepId, RendezvousKey key) {
        return !queues.isEmpty() && queues.containsKey(new Slot(stepId, key.toString()));
    }

    /// The number of receives that have not ended. Any thread.
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

    /// Removes a receive that was given up; does nothing if it has been started.
    private void leave(Slot slot, Waiting given) {
        LinkedHashSet<Waiting> queue = queues.get(slot);
        if (queue != null && queue.remove(given)) {
            underWay.decrementAndGet();
            claimed(given.sent != null);
        }
    }

    /// @param claims whether the peer may have taken a tensor for the receive
    private void claimed(boolean claims) {
        if (claims && --unclaimed == 0 && whenClaimed != null) {
            Runnable action = whenClaimed;
            whenClaimed = null;
            action.run();
        }
    }

    /// Runs `action` once no receive remains for which the peer may have to keep a tensor, immediately if there is
    /// none. Replaces an action that waits.
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
