package io.tensorferry.samples.scheduler;

import io.tensorferry.api.PollingReceive;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs operators whose tensors have come, one after the other on one thread. One that is asked and not ready goes
/// to the end of the queue: however many wait, they take no thread, and a round of asking costs a read of memory
/// for each. When a whole round has found nothing, the thread sleeps until [#wake].
///
/// Threading: any thread, but for [#close], which is not for operators.
public final class ReadyQueue implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReadyQueue.class);

    private final ConcurrentLinkedQueue<Waiting> added = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Thread thread;
    private volatile boolean woken;
    private volatile boolean closed;

    private record Waiting(PollingReceive receive, Runnable operator) {}

    /// @param name of the thread
    public ReadyQueue(String name) {
        thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    /// Has `operator` run once `receive` is ready. Operators of one receive run in the order in which they were added.
    public void whenReady(PollingReceive receive, Runnable operator) {
        added.add(new Waiting(receive, operator));
        wake();
    }

    /// Something may be ready: what a receive calls ([io.tensorferry.api.StaticReceiver#onReady]). Never waits.
    public void wake() {
        if (!woken) {
            woken = true;
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        while (!closed) {
            woken = false;
            takeAdded();
            boolean any = false;
            for (int i = waiting.size(); i > 0; i--) {
                Waiting next = waiting.remove();
                if (next.receive.poll()) {
                    run(next.operator);
                    any = true;
                } else {
                    waiting.add(next);
                }
            }
            while (!any && !woken && !closed) {
                LockSupport.park(this);
            }
        }
    }

    private void takeAdded() {
        for (Waiting next = added.poll(); next != null; next = added.poll()) {
            waiting.add(next);
        }
    }

    private static void run(Runnable operator) {
        try {
            operator.run();
        } catch (RuntimeException e) {
            LOG.error("an operator failed", e);
        }
    }

    /// Ends the thread; what still waits never runs.
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
