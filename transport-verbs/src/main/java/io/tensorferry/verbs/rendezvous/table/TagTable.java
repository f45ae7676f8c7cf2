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

/// Matches the sends and receives of one step by rendezvous key, on the worker that produces the tensors.
///
/// Each key has a queue of sends or a queue of receives: the oldest send meets the oldest receive, whichever came
/// first. A match is made under the lock and delivered outside it, on the thread whose call made it. An exception
/// thrown by a waiter is logged and has no other effect.
///
/// Threading: any thread. One lock guards all state; no callback, close or log call runs under it.
public final class TagTable {
    private static final Logger LOG = LoggerFactory.getLogger(TagTable.class);

    // Keyed by the whole printed key.
    private final KeyedQueues<WaitingSend> sends = new KeyedQueues<>();
    private final KeyedQueues<Waiter> receives = new KeyedQueues<>();
    private final Object lock = new Object();
    private final RendezvousLimits limits;
    private long waitingBytes;
    private @Nullable TransportException abortStatus;
    // The cause that refuses further sends, while earlier sends can still be received.
    private @Nullable TransportException finishStatus;

    /// A waiting receive: its match is delivered once, unless it is removed. It may then wait again, in one table and
    /// under one key at a time. Exceptions of [#done] are logged.
    public abstract static class Waiter extends KeyedQueues.Node<Waiter> implements DoneCallback {
        protected Waiter() {}

        /// Creates a waiter that delivers to `callback`.
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

    /// Creates a table with the default limits.
    public TagTable() {
        this(RendezvousLimits.defaults());
    }

    /// @param limits how many sends, and how many bytes of them, may wait for their receives
    public TagTable(RendezvousLimits limits) {
        this.limits = limits;
    }

    /// Hands `item` to the oldest receive that waits for `key`, or keeps it for the next receive.
    ///
    /// Takes over the handle of a [Received]. If the call throws, the caller still owns the handle and the table is
    /// unchanged.
    ///
    /// @param item a [Received] or a [RecvResult.Dead]
    /// @throws IllegalStateException if the tensor's handle is closed or was sent before
    /// @throws TransportException the status of [#abort] or [#finish]; `RESOURCE_EXHAUSTED` if the send would have to
    ///     wait and the limits are reached
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
                // Take the handle over before the tensor is visible: its owner may close the handle, or send it again,
                // at any time.
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

    /// Gives `waiter` the oldest send of `key`, immediately or when it arrives. Delivers a [Failed] immediately after
    /// [#abort], and after [#finish] if no send waits.
    ///
    /// The waiter is called once, unless it is removed, and owns the tensor it is given.
    public void receive(RendezvousKey key, Waiter waiter) {
        RecvResult item = takeOrWait(key, waiter);
        if (item != null) {
            tell(waiter, item);
        }
    }

    /// Returns the oldest send of `key` without calling `waiter`; if there is none, queues `waiter` and returns null.
    /// The waiter may already have been called when null is returned.
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

    /// Removes a waiter that has no match; it is then never called. The cost does not depend on the number of waiters.
    ///
    /// @param waiter a waiter of this table, or one that waits nowhere
    /// @return false if it does not wait or has a match (the call may still be in progress)
    public boolean remove(Waiter waiter) {
        synchronized (lock) {
            return receives.remove(waiter);
        }
    }

    /// Refuses further sends: later sends and all waiting receives fail with `status`. Waiting sends stay for their
    /// receives.
    ///
    /// Only the first call has an effect, and only before [#abort].
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

    /// Ends the table: every waiter fails with `status`, every send is dropped and its tensor closed, and later sends
    /// and receives fail with `status`.
    ///
    /// Only the first call has an effect. When it returns, the waiters of this table have been called, by this thread
    /// or by a thread that matched them before.
    ///
    /// @return the number of sends dropped; 0 for a later call
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

    /// Returns whether no more sends are taken and every earlier send has been received.
    boolean isFinished() {
        synchronized (lock) {
            return finishStatus != null && sends.size() == 0;
        }
    }

    /// The number of sends that no receive has claimed.
    public int waitingSends() {
        synchronized (lock) {
            return sends.size();
        }
    }

    /// Returns the key of an unclaimed send; null if there is none.
    @Nullable
    String anyWaitingSend() {
        synchronized (lock) {
            return sends.anyKey();
        }
    }

    /// The number of receives without a matching send.
    public int waitingReceives() {
        synchronized (lock) {
            return receives.size();
        }
    }

    /// The number of bytes in unclaimed sends.
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
                "the send of " + key + " exceeds a limit: " + waitingSends() + " tensors of " + waitingBytes()
                        + " bytes are unclaimed in its step, at most " + limits.maxUnclaimedSends() + " of "
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
