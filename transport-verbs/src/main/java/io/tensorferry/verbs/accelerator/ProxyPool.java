package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.SlabPool;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A bounded number of bytes in proxies, for what is sent or for what is received: who finds none waits, and is served
/// in the order of asking.
///
/// No peer holds more than half of them, one proxy aside: one that stands still does not stop the others. Who waits
/// because its peer has that much is passed over.
///
/// Owner: the loop; the counts may be read by any thread.
public final class ProxyPool {
    private final SlabPool memory;
    private final Executor loop;
    private final Executor workers;
    private final long mostBytes;
    private final LinkedHashMap<ProxyWaiter, Request> waiting = new LinkedHashMap<>();
    private final Map<String, Long> heldBy = new HashMap<>();
    // Whether a worker has a slab made.
    private boolean growing;
    private boolean serving;
    private @Nullable TransportException closed;
    private final AtomicLong bytesInUse = new AtomicLong();
    private final AtomicLong highWaterBytes = new AtomicLong();
    private final AtomicLong strandedBytes = new AtomicLong();
    private final AtomicLong waits = new AtomicLong();

    /// @param memory nobody else takes of it; all that it may grow to can be in use
    /// @param workers makes slabs, which takes long
    /// @param mostBytes of all proxies together; those that are stranded count
    ProxyPool(SlabPool memory, Executor loop, Executor workers, long mostBytes) {
        this.memory = memory;
        this.loop = loop;
        this.workers = workers;
        this.mostBytes = mostBytes;
    }

    /// One that was asked for.
    private static final class Request {
        private final long bytes;
        private final String peer;
        private final ProxyWaiter waiter;
        private boolean served;

        private Request(long bytes, String peer, ProxyWaiter waiter) {
            this.bytes = bytes;
            this.peer = peer;
            this.waiter = waiter;
        }
    }

    /// Gives `waiter`, which waits for no other, a proxy as soon as there is one.
    ///
    /// @param bytes 1 or more
    /// @param peer on whose tensor's way it lies
    public void acquire(long bytes, String peer, ProxyWaiter waiter) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a proxy of " + bytes + " bytes was asked for; it has at least 1");
        }
        TransportException end = closed;
        if (end != null) {
            waiter.onNoProxy(end);
            return;
        }
        if (bytes > mostBytes - strandedBytes.get()) {
            waiter.onNoProxy(exhausted(bytes, null));
            return;
        }
        var request = new Request(bytes, peer, waiter);
        if (waiting.putIfAbsent(waiter, request) != null) {
            throw new IllegalStateException("it waits for a proxy already");
        }
        serve();
        if (!request.served) {
            waits.incrementAndGet();
        }
    }

    /// The waiter wants none any more; does nothing if it does not wait.
    public void cancel(ProxyWaiter waiter) {
        if (waiting.remove(waiter) != null) {
            serve();
        }
    }

    /// Whether somebody waits: who has one and could use it again gives it back.
    public boolean isAwaited() {
        return !waiting.isEmpty();
    }

    /// Gives proxies to those that wait, as far as there are some. A waiter that asks for the next while it is given
    /// one only gets into the line.
    private void serve() {
        if (serving) {
            return;
        }
        serving = true;
        try {
            for (Request next = next(); next != null; next = next()) {
                RegisteredBuffer buffer = memory.allocateIfThere(next.bytes);
                if (buffer == null) {
                    grow(next.bytes);
                    return;
                }
                waiting.remove(next.waiter);
                next.served = true;
                hold(next.peer, next.bytes);
                next.waiter.onProxy(new Proxy(this, next.peer, buffer));
            }
        } finally {
            serving = false;
        }
    }

    /// The first that may have as much as it asks for.
    private @Nullable Request next() {
        for (Request request : waiting.values()) {
            if (mayHold(request)) {
                // It is its turn: a smaller one behind it does not pass.
                return bytesInUse.get() + strandedBytes.get() + request.bytes <= mostBytes ? request : null;
            }
        }
        return null;
    }

    private boolean mayHold(Request request) {
        long held = heldBy.getOrDefault(request.peer, 0L);
        return held == 0 || held + request.bytes <= mostBytes / 2;
    }

    private void hold(String peer, long bytes) {
        heldBy.merge(peer, bytes, Long::sum);
        highWaterBytes.accumulateAndGet(bytesInUse.addAndGet(bytes), Math::max);
    }

    private void letGo(Proxy proxy) {
        bytesInUse.addAndGet(-proxy.byteSize());
        heldBy.merge(proxy.peer(), -proxy.byteSize(), (held, less) -> held + less == 0 ? null : held + less);
    }

    void onReturned(Proxy proxy) {
        letGo(proxy);
        serve();
    }

    void onStranded(Proxy proxy) {
        letGo(proxy);
        strandedBytes.addAndGet(proxy.byteSize());
        refuseWhatNeverFits();
        serve();
    }

    private void refuseWhatNeverFits() {
        for (Request request : List.copyOf(waiting.values())) {
            if (request.bytes > mostBytes - strandedBytes.get() && waiting.remove(request.waiter, request)) {
                request.waiter.onNoProxy(exhausted(request.bytes, null));
            }
        }
    }

    /// Makes a slab: the memory is there then, and this takes it on the loop.
    private void grow(long bytes) {
        if (growing) {
            return;
        }
        growing = true;
        workers.execute(() -> {
            TransportException failure = null;
            try {
                memory.allocateNow(bytes).close();
            } catch (TransportException e) {
                failure = e;
            } catch (RuntimeException | Error e) {
                failure = new TransportException(StatusCode.INTERNAL, "no slab could be made: " + e, e);
            }
            TransportException cause = failure;
            loop.execute(() -> onGrown(cause));
        });
    }

    private void onGrown(@Nullable TransportException failure) {
        growing = false;
        // What others hold comes back, and its memory is tried again then.
        if (failure != null && bytesInUse.get() == 0) {
            Request first = next();
            if (first != null) {
                waiting.remove(first.waiter);
                first.waiter.onNoProxy(exhausted(first.bytes, failure));
            }
        }
        if (failure == null || bytesInUse.get() == 0) {
            serve();
        }
    }

    private TransportException exhausted(long bytes, @Nullable TransportException cause) {
        return new TransportException(
                // A device that has failed is not out of memory.
                cause == null ? StatusCode.RESOURCE_EXHAUSTED : cause.code(),
                "no proxy of " + bytes + " bytes: there are " + mostBytes + " bytes for them (half of proxyBytes), "
                        + (strandedBytes.get() > 0 ? strandedBytes + " of them lost to a device that failed, " : "")
                        + bytesInUse + " in use" + (cause == null ? "" : "; " + cause.reasonWithDetails()),
                cause);
    }

    /// From now on there are none.
    void close(TransportException cause) {
        closed = cause;
        while (!waiting.isEmpty()) {
            waiting.pollFirstEntry().getKey().onNoProxy(cause);
        }
    }

    long bytesInUse() {
        return bytesInUse.get();
    }

    long highWaterBytes() {
        return highWaterBytes.get();
    }

    long strandedBytes() {
        return strandedBytes.get();
    }

    /// How many that asked had to wait.
    long waits() {
        return waits.get();
    }
}
