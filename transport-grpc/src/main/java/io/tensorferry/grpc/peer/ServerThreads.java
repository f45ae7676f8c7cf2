package io.tensorferry.grpc.peer;

import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.tensorferry.api.thread.TransportThread;
import io.tensorferry.verbs.rendezvous.CallbackExecutor;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The threads of one server. It does not use gRPC's process-wide threads, so that a stopped server leaves no thread
/// behind.
///
/// There are four kinds:
///
/// - event loops, which move bytes and run timers;
/// - a pool for gRPC's handlers and for copies, which never block;
/// - a pool for host name lookups, which may take seconds each;
/// - the threads of users' callbacks, which may block.
public final class ServerThreads {
    private static final int LOOKUPS = 4;
    private static final int LOOKUP_IDLE_SECONDS = 10;

    private final EventLoopGroup eventLoops;
    private final ExecutorService handlers;
    private final ExecutorService lookups;
    private final @Nullable OwnCallbacks ownCallbacks;
    private final CallbackExecutor callbacks;

    /// @param callbacks the user's executor, or null for a new virtual thread per callback
    /// @param onLoop whether callbacks run on the thread that ends the receive; `callbacks` is then ignored
    public ServerThreads(String workerName, @Nullable Executor callbacks, boolean onLoop) {
        int processors = Runtime.getRuntime().availableProcessors();
        String prefix = "tensorferry " + workerName + " ";
        // NIO: the native transports would unpack a library into the temporary directory, for little gain.
        this.eventLoops = new MultiThreadIoEventLoopGroup(
                Math.clamp(processors, 2, 8), daemons(prefix + "event-loop-"), NioIoHandler.newFactory());
        // Platform threads: users' callbacks may occupy every carrier thread, and must not stall the transport.
        this.handlers = Executors.newFixedThreadPool(Math.clamp(processors, 4, 16), daemons(prefix + "handler-"));
        this.lookups = lookups(prefix + "lookup-");
        if (onLoop) {
            this.ownCallbacks = null;
            this.callbacks = CallbackExecutor.onCaller();
        } else if (callbacks != null) {
            this.ownCallbacks = null;
            this.callbacks = CallbackExecutor.dispatching(prefix + "callback-dispatcher", callbacks);
        } else {
            this.ownCallbacks = new OwnCallbacks(prefix + "callback-");
            this.callbacks = CallbackExecutor.dispatching(prefix + "callback-dispatcher", ownCallbacks);
        }
    }

    /// Creates a pool of few threads, whose idle threads end.
    private static ExecutorService lookups(String prefix) {
        var pool = new ThreadPoolExecutor(
                LOOKUPS, LOOKUPS, LOOKUP_IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons(prefix));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static ThreadFactory daemons(String prefix) {
        return TransportThread.neverWaiting(
                Thread.ofPlatform().daemon().name(prefix, 0).factory());
    }

    public EventLoopGroup eventLoops() {
        return eventLoops;
    }

    /// Runs timers; its tasks must be short.
    public ScheduledExecutorService timer() {
        return eventLoops;
    }

    public Executor handlers() {
        return handlers;
    }

    /// Runs host name lookups.
    Executor lookups() {
        return lookups;
    }

    public CallbackExecutor callbacks() {
        return callbacks;
    }

    /// Ends all threads except the user's. Waits until `patience` is over for running callbacks, then interrupts them;
    /// waits at most until `limit` for the other threads, which never block.
    public void close(Deadline patience, Deadline limit) {
        lookups.shutdownNow();
        handlers.shutdown();
        await(handlers, limit);
        callbacks.close(limit.remaining());
        if (ownCallbacks != null) {
            ownCallbacks.awaitEnds(patience);
        }
        long left = limit.remaining().toNanos();
        eventLoops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(left, TimeUnit.NANOSECONDS);
        // Last: a name lookup cannot be interrupted and may take long.
        await(lookups, limit);
    }

    private static boolean await(ExecutorService executor, Deadline limit) {
        try {
            return executor.awaitTermination(limit.remaining().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
