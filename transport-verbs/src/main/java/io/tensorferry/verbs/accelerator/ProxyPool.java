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

/// A bounded pool of proxies for one direction. Requests that find no free proxy wait, and are served in order.
///
/// A peer holds at most half of the pool, or one proxy if that is larger, so that a stalled peer does not stop the
/// others. Requests of a peer at this limit are skipped.
///
/// Owner: the loop; any thread may read the counts.
public final class ProxyPool {
    private final SlabPool memory;
    private final Executor loop;
    private final Executor workers;
    private final long mostBytes;
    private final LinkedHashMap<ProxyWaiter, Request> waiting = new LinkedHashMap<>();
    private final Map<String, Long> heldBy = new HashMap<>();
    // Whether a worker is allocating a slab.
    private boolean growing;
    private boolean serving;
    private @Nullable TransportException closed;
    private final AtomicLong bytesInUse = new AtomicLong();
    private final AtomicLong highWaterBytes = new AtomicLong();
    private final AtomicLong strandedBytes = new AtomicLong();
    private final AtomicLong waits = new AtomicLong();

    /// @param memory used by this pool only; the pool may use up to its limit
    /// @param workers allocates slabs, which is slow
    /// @param mostBytes maximum total bytes of proxies, including stranded ones
    ProxyPool(SlabPool memory, Executor loop, Executor workers, long mostBytes) {
        this.memory = memory;
        this.loop = loop;
        this.workers = workers;
        this.mostBytes = mostBytes;
    }

    /// A waiting request.
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

    /// Passes a proxy to `waiter` as soon as one is available. A waiter may have only one pending request.
    ///
    /// @param bytes 1 or more
    /// @param peer the peer whose tensor the proxy stages
    public void acquire(long bytes, String peer, ProxyWaiter waiter) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a proxy of " + bytes + " bytes must have 1 or more");
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
            throw new IllegalStateException("the waiter already waits for a proxy");
        }
        serve();
        if (!request.served) {
            waits.incrementAndGet();
        }
    }

    /// Cancels the waiter's request; does nothing if there is none.
    public void cancel(ProxyWaiter waiter) {
        if (waiting.remove(waiter) != null) {
            serve();
        }
    }

    /// Whether requests are waiting; a holder that could reuse its proxy must then return it.
    public boolean isAwaited() {
        return !waiting.isEmpty();
    }

    /// Serves waiting requests while proxies are available. A request that a waiter makes from its callback is only
    /// queued.
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

    /// Returns the first request that its peer's limit allows.
    private @Nullable Request next() {
        for (Request request : waiting.values()) {
            if (mayHold(request)) {
                // The first eligible request: a smaller one behind it must not overtake.
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

    /// Allocates a slab on a worker; the loop then takes memory from it.
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
                failure = new TransportException(StatusCode.INTERNAL, "cannot create a slab: " + e, e);
            }
            TransportException cause = failure;
            loop.execute(() -> onGrown(cause));
        });
    }

    private void onGrown(@Nullable TransportException failure) {
        growing = false;
        // If proxies are in use, the allocation is retried when they return.
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
                // A failed device is not out of memory.
                cause == null ? StatusCode.RESOURCE_EXHAUSTED : cause.code(),
                "no proxy of " + bytes + " bytes: the limit is " + mostBytes + " bytes (half of proxyBytes), "
                        + (strandedBytes.get() > 0 ? strandedBytes + " of them lost to a failed device, " : "")
                        + bytesInUse + " in use" + (cause == null ? "" : "; " + cause.reasonWithDetails()),
                cause);
    }

    /// Closes the pool and fails waiting requests with `cause`.
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

    /// The number of requests that had to wait.
    long waits() {
        return waits.get();
    }
}
