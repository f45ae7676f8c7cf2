package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.DoneCallback;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RecvResult.Failed;
import io.tensorferry.api.RecvResult.Received;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The tensors of one step that wait for their receives, and the receives that wait for their tensors, on the
/// worker that produces them.
///
/// Each key is a queue of the one or of the other: the oldest send meets the oldest receive, whichever came first.
/// A match is made under the lock and told outside it, on the thread whose call made it; what a waiter throws is
/// logged and changes nothing.
///
/// Threading: any thread. One lock guards everything, and no callback, no close and no log call runs under it.
public final class TagTable {
    private static final Logger LOG = LoggerFactory.getLogger(TagTable.class);

    // Keyed by the whole printed key, and by the string rather than the object because strings are ordered: a map of
    // many keys with one hash, which a peer can
    // choose, then still finds each in logarithmic time.
    private final Map<String, ArrayDeque<RecvResult>> sends = new HashMap<>();
    private final Map<String, WaiterQueue> receives = new HashMap<>();
    private final Object lock = new Object();
    private final RendezvousLimits limits;
    private int waitingSends;
    private long waitingBytes;
    private int waitingReceives;
    private @Nullable TransportException abortStatus;

    /// A table with the default limits.
    public TagTable() {
        this(RendezvousLimits.defaults());
    }

    /// @param limits how many sends, and how many bytes of them, may wait for their receives
    public TagTable(RendezvousLimits limits) {
        this.limits = limits;
    }

    /// Hands `item` to the oldest receive that waits for `key`, or keeps it for the next one.
    ///
    /// @param item a [Received], whose tensor this takes, also when it throws, or a [RecvResult.Dead]
    /// @throws TransportException the status of [#abort]; `RESOURCE_EXHAUSTED` if it would have to wait and too much
    ///     waits already
    /// @throws IllegalArgumentException if `item` is a [Failed]
    public void send(RendezvousKey key, RecvResult item) {
        if (item instanceof Failed) {
            throw new IllegalArgumentException("a failure cannot be sent: " + item);
        }
        DoneCallback waiter = null;
        TransportException refused;
        boolean full = false;
        synchronized (lock) {
            refused = abortStatus;
            if (refused == null) {
                waiter = pollWaiter(key.toString());
                full = waiter == null && !hasRoomFor(item);
                if (waiter == null && !full) {
                    sends.computeIfAbsent(key.toString(), _ -> new ArrayDeque<>(2))
                            .add(item);
                    waitingSends++;
                    waitingBytes += bytesOf(item);
                }
            }
        }
        if (full) {
            refused = exhausted(key);
        }
        if (refused != null) {
            drop(key.toString(), item);
            throw refused;
        }
        if (waiter != null) {
            tell(waiter, item);
        }
    }

    /// Gives `waiter` the oldest send of `key`, at once or when it comes; after [#abort], at once a [Failed].
    ///
    /// The waiter is called once, unless it is removed, and owns the tensor it is given.
    public void receive(RendezvousKey key, DoneCallback waiter) {
        RecvResult item;
        synchronized (lock) {
            item = abortStatus != null ? new Failed(abortStatus) : pollSend(key.toString());
            if (item == null) {
                receives.computeIfAbsent(key.toString(), _ -> new WaiterQueue()).add(waiter);
                waitingReceives++;
            }
        }
        if (item != null) {
            tell(waiter, item);
        }
    }

    /// Removes a waiter that nothing has been matched with; it is then never called. The cost does not depend on
    /// how many wait.
    ///
    /// A waiter that waits several times under `key` loses the place it took last.
    ///
    /// @return false if it does not wait under `key`, or a match with it was made (the call may still be on its
    ///     way)
    public boolean remove(RendezvousKey key, DoneCallback waiter) {
        synchronized (lock) {
            WaiterQueue queue = receives.get(key.toString());
            if (queue == null || !queue.remove(waiter)) {
                return false;
            }
            waitingReceives--;
            if (queue.size() == 0) {
                receives.remove(key.toString());
            }
            return true;
        }
    }

    /// Ends the table: every waiter is told `status`, every send is dropped and its tensor closed, and later sends
    /// and receives fail with `status`.
    ///
    /// Only the first call counts. When it returns, the waiters of this table have been called, by this thread or
    /// by one that matched them before.
    ///
    /// @return how many sends were dropped; 0 for a later call
    public int abort(TransportException status) {
        Map<String, ArrayDeque<RecvResult>> droppedSends;
        List<DoneCallback> waiters;
        synchronized (lock) {
            if (abortStatus != null) {
                return 0;
            }
            abortStatus = status;
            droppedSends = new HashMap<>(sends);
            sends.clear();
            waiters = new ArrayList<>(waitingReceives);
            receives.values().forEach(queue -> drain(queue, waiters));
            receives.clear();
            waitingSends = 0;
            waitingBytes = 0;
            waitingReceives = 0;
        }
        var failed = new Failed(status);
        waiters.forEach(waiter -> tell(waiter, failed));
        int dropped = 0;
        for (var entry : droppedSends.entrySet()) {
            entry.getValue().forEach(item -> drop(entry.getKey(), item));
            dropped += entry.getValue().size();
        }
        return dropped;
    }

    /// Sends that no receive has asked for yet.
    public int waitingSends() {
        synchronized (lock) {
            return waitingSends;
        }
    }

    /// Receives that nothing has been sent to yet.
    public int waitingReceives() {
        synchronized (lock) {
            return waitingReceives;
        }
    }

    /// Bytes of the sends that no receive has asked for yet.
    public long waitingBytes() {
        synchronized (lock) {
            return waitingBytes;
        }
    }

    private boolean hasRoomFor(RecvResult item) {
        return waitingSends < limits.maxUnclaimedSends() && bytesOf(item) <= limits.maxUnclaimedBytes() - waitingBytes;
    }

    private static long bytesOf(RecvResult item) {
        return item instanceof Received(var tensor) ? tensor.byteSize() : 0;
    }

    private TransportException exhausted(RendezvousKey key) {
        return new TransportException(
                StatusCode.RESOURCE_EXHAUSTED,
                "the send of " + key + " finds no room: " + waitingSends() + " tensors of " + waitingBytes()
                        + " bytes wait in its step for somebody to ask, at most " + limits.maxUnclaimedSends() + " of "
                        + limits.maxUnclaimedBytes() + " bytes may");
    }

    private @Nullable DoneCallback pollWaiter(String key) {
        WaiterQueue queue = receives.get(key);
        if (queue == null) {
            return null;
        }
        DoneCallback waiter = queue.poll();
        waitingReceives--;
        if (queue.size() == 0) {
            receives.remove(key);
        }
        return waiter;
    }

    private @Nullable RecvResult pollSend(String key) {
        ArrayDeque<RecvResult> queue = sends.get(key);
        if (queue == null) {
            return null;
        }
        RecvResult item = queue.poll();
        waitingSends--;
        waitingBytes -= item == null ? 0 : bytesOf(item);
        if (queue.isEmpty()) {
            sends.remove(key);
        }
        return item;
    }

    private static void drain(WaiterQueue queue, List<DoneCallback> into) {
        for (DoneCallback waiter = queue.poll(); waiter != null; waiter = queue.poll()) {
            into.add(waiter);
        }
    }

    private static void tell(DoneCallback waiter, RecvResult result) {
        try {
            waiter.done(result);
        } catch (RuntimeException | Error e) {
            LOG.error("a waiter threw; its result was {}", result, e);
        }
    }

    private static void drop(String key, RecvResult item) {
        if (item instanceof Received(var tensor)) {
            try {
                tensor.close();
            } catch (RuntimeException | Error e) {
                LOG.error("closing the unsent tensor of {} failed", key, e);
            }
        }
    }
}
