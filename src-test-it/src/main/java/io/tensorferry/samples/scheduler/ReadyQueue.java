package io.tensorferry.samples.scheduler;

import io.tensorferry.api.edge.PollingReceive;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs operators whose tensors have arrived, in sequence on one thread. An operator that is not ready moves to the end
/// of the queue. Waiting operators occupy no thread, and each round of polling costs one memory read per operator.
/// After a round without a ready operator, the thread sleeps until [#wake].
///
/// Threading: any thread, except that operators must not call [#close].
public final class ReadyQueue implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReadyQueue.class);

    private final ConcurrentLinkedQueue<Waiting> added = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Thread thread;
    private volatile boolean woken;
    private volatile boolean closed;

    private record Waiting(PollingReceive receive, Runnable operator) {}

    /// @param name the name of the thread
    public ReadyQueue(String name) {
        thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    /// Runs `operator` once `receive` is ready. Operators of the same receive run in the order of the calls.
    public void whenReady(PollingReceive receive, Runnable operator) {
        added.add(new Waiting(receive, operator));
        wake();
    }

    /// Wakes the thread because a receive may be ready; the callback of a receive
    /// ([io.tensorferry.api.edge.StaticReceiver#onReady]). Never blocks.
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

    /// Ends the thread; waiting operators never run.
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
