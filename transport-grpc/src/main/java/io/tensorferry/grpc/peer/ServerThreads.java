package io.tensorferry.grpc.peer;

import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.tensorferry.api.TransportThread;
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

/// The threads of one server. gRPC's own, shared by the whole process, are not used, so that a stopped server
/// leaves none behind.
///
/// Four kinds: event loops, which move bytes and keep time; a pool that runs gRPC's handlers and the copies, none
/// of which ever blocks; one that looks up the hosts of peers, which may take seconds each; and the threads of users'
/// callbacks, which may block.
public final class ServerThreads {
    private static final int LOOKUPS = 4;
    private static final int LOOKUP_IDLE_SECONDS = 10;

    private final EventLoopGroup eventLoops;
    private final ExecutorService handlers;
    private final ExecutorService lookups;
    private final @Nullable OwnCallbacks ownCallbacks;
    private final CallbackExecutor callbacks;

    /// @param callbacks the user's executor, or null for a virtual thread for each callback
    /// @param onLoop whether callbacks run where receives end, whatever `callbacks` is
    public ServerThreads(String workerName, @Nullable Executor callbacks, boolean onLoop) {
        int processors = Runtime.getRuntime().availableProcessors();
        String prefix = "tensorferry " + workerName + " ";
        // Plain NIO: the native transports would unpack a library into the temporary folder, for little gain.
        this.eventLoops = new MultiThreadIoEventLoopGroup(
                Math.clamp(processors, 2, 8), daemons(prefix + "event-loop-"), NioIoHandler.newFactory());
        // Platform threads: users' callbacks may keep every carrier of the virtual ones busy, and the transport must
        // go on.
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

    /// A few threads, and none where there is nothing to look up.
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

    /// Keeps time; its tasks must be short.
    public ScheduledExecutorService timer() {
        return eventLoops;
    }

    public Executor handlers() {
        return handlers;
    }

    /// For what asks the system for the address of a host.
    Executor lookups() {
        return lookups;
    }

    public CallbackExecutor callbacks() {
        return callbacks;
    }

    /// Ends all threads but the user's; waits until `patience` is over for callbacks that still run, then interrupts
    /// them. Until `limit` at most for the others, none of which blocks.
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
        // Last: the system is not interrupted, and may take its time.
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
