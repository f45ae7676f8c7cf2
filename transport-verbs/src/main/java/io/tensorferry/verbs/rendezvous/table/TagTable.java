package io.tensorferry.verbs.rendezvous.table;

import io.tensorferry.api.DoneCallback;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RecvResult.Failed;
import io.tensorferry.api.RecvResult.Received;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.RendezvousLimits;
import java.util.ArrayList;
import java.util.List;
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

    // Keyed by the whole printed key.
    private final KeyedQueues<WaitingSend> sends = new KeyedQueues<>();
    private final KeyedQueues<Waiter> receives = new KeyedQueues<>();
    private final Object lock = new Object();
    private final RendezvousLimits limits;
    private long waitingBytes;
    private @Nullable TransportException abortStatus;
    // Why nothing is sent any more, while what was sent is still received.
    private @Nullable TransportException finishStatus;

    /// What a receive waits as: told once of its match, unless it is removed. It may wait again then, in one table and
    /// under one key at a time. What [#done] throws is logged.
    public abstract static class Waiter extends KeyedQueues.Node<Waiter> implements DoneCallback {
        protected Waiter() {}

        /// One that tells `callback`.
        public static Waiter of(DoneCallback callback) {
            return new Waiter() {
                @Override
                public void done(RecvResult result) {
                    callback.done(result);
                }
            };
        }
    }

    private static final class WaitingSend extends KeyedQueues.Node<WaitingSend> {
        private final RecvResult item;

        WaitingSend(RecvResult item) {
            this.item = item;
        }
    }

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
    /// Takes the handle of a [Received] over, unless it throws: then the caller still owns it, and nothing has changed.
    ///
    /// @param item a [Received] or a [RecvResult.Dead]
    /// @throws IllegalStateException if the tensor's handle is closed or was sent before
    /// @throws TransportException the status of [#abort] or [#finish]; `RESOURCE_EXHAUSTED` if it would have to wait
    /// and too much
    ///     waits already
    /// @throws IllegalArgumentException if `item` is a [Failed]
    public void send(RendezvousKey key, RecvResult item) {
        if (item instanceof Failed) {
            throw new IllegalArgumentException("a failure cannot be sent: " + item);
        }
        String name = key.toString();
        Waiter waiter = null;
        RecvResult taken = null;
        synchronized (lock) {
            if (abortStatus != null) {
                throw abortStatus;
            }
            if (finishStatus != null) {
                throw finishStatus;
            }
            if (hasRoomFor(item) || receives.hasWaiting(name)) {
                // Before anybody can see the tensor: its owner may close the handle, or send it again, at any time.
                taken = takeOver(key, item);
                waiter = receives.poll(name);
                if (waiter == null) {
                    sends.add(name, new WaitingSend(taken));
                    waitingBytes += bytesOf(taken);
                }
            }
        }
        if (taken == null) {
            throw exhausted(key);
        }
        if (waiter != null) {
            tell(waiter, taken);
        }
    }

    private static RecvResult takeOver(RendezvousKey key, RecvResult item) {
        if (!(item instanceof Received(var tensor))) {
            return item;
        }
        try {
            return new Received(tensor.handOver());
        } catch (IllegalStateException e) {
            throw new IllegalStateException("the tensor of " + key + " cannot be sent: " + e.getMessage(), e);
        }
    }

    /// Gives `waiter` the oldest send of `key`, at once or when it comes; at once a [Failed] after [#abort], and after
    /// [#finish] if there is none.
    ///
    /// The waiter is called once, unless it is removed, and owns the tensor it is given.
    public void receive(RendezvousKey key, Waiter waiter) {
        RecvResult item = takeOrWait(key, waiter);
        if (item != null) {
            tell(waiter, item);
        }
    }

    /// The same, but what is there at once is returned, and `waiter` not told. Where nothing is, it waits; then null is
    /// returned, and it may have been told already.
    @Nullable
    public RecvResult takeOrWait(RendezvousKey key, Waiter waiter) {
        synchronized (lock) {
            if (abortStatus != null) {
                return new Failed(abortStatus);
            }
            WaitingSend send = sends.poll(key.toString());
            if (send != null) {
                waitingBytes -= bytesOf(send.item);
                return send.item;
            }
            if (finishStatus != null) {
                return new Failed(finishStatus);
            }
            receives.add(key.toString(), waiter);
            return null;
        }
    }

    /// Removes a waiter that nothing has been matched with; it is then never called. The cost does not depend on
    /// how many wait.
    ///
    /// @param waiter one that waits here, or nowhere
    /// @return false if it does not wait, or a match with it was made (the call may still be on its way)
    public boolean remove(Waiter waiter) {
        synchronized (lock) {
            return receives.remove(waiter);
        }
    }

    /// Takes no more sends: later ones fail with `status`, and every waiter is told it, because nothing will come for
    /// it. Sends that wait stay for their receives.
    ///
    /// Only the first call counts, and only before [#abort].
    public void finish(TransportException status) {
        List<Waiter> waiters = new ArrayList<>();
        synchronized (lock) {
            if (abortStatus != null || finishStatus != null) {
                return;
            }
            finishStatus = status;
            receives.drain(waiters::add);
        }
        var failed = new Failed(status);
        waiters.forEach(waiter -> tell(waiter, failed));
    }

    /// Ends the table: every waiter is told `status`, every send is dropped and its tensor closed, and later sends
    /// and receives fail with `status`.
    ///
    /// Only the first call counts. When it returns, the waiters of this table have been called, by this thread or
    /// by one that matched them before.
    ///
    /// @return how many sends were dropped; 0 for a later call
    public int abort(TransportException status) {
        List<WaitingSend> droppedSends = new ArrayList<>();
        List<Waiter> waiters = new ArrayList<>();
        synchronized (lock) {
            if (abortStatus != null) {
                return 0;
            }
            abortStatus = status;
            sends.drain(droppedSends::add);
            receives.drain(waiters::add);
            waitingBytes = 0;
        }
        var failed = new Failed(status);
        waiters.forEach(waiter -> tell(waiter, failed));
        droppedSends.forEach(send -> drop(send.waitingKey(), send.item));
        return droppedSends.size();
    }

    /// Whether no more sends are taken, and those that were have their receives.
    boolean isFinished() {
        synchronized (lock) {
            return finishStatus != null && sends.size() == 0;
        }
    }

    /// Sends that no receive has asked for yet.
    public int waitingSends() {
        synchronized (lock) {
            return sends.size();
        }
    }

    /// The key of a send that no receive has asked for yet; null if there is none.
    @Nullable
    String anyWaitingSend() {
        synchronized (lock) {
            return sends.anyKey();
        }
    }

    /// Receives that nothing has been sent to yet.
    public int waitingReceives() {
        synchronized (lock) {
            return receives.size();
        }
    }

    /// Bytes of the sends that no receive has asked for yet.
    public long waitingBytes() {
        synchronized (lock) {
            return waitingBytes;
        }
    }

    private boolean hasRoomFor(RecvResult item) {
        return sends.size() < limits.maxUnclaimedSends() && bytesOf(item) <= limits.maxUnclaimedBytes() - waitingBytes;
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
