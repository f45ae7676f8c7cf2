package io.tensorferry.verbs.device.software.loop;

import io.tensorferry.verbs.device.software.core.Bell;
import io.tensorferry.verbs.device.software.core.DeviceLoop;
import io.tensorferry.verbs.device.software.core.ReadyList;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The event loop of one device. Its I/O thread waits for sockets, timers, posted work and commands, and serves them in
/// turn. With [PolledWork], application threads do a part of the work: they take the turn if it is free. If it is
/// taken, its holder checks for work once more after releasing the turn.
///
/// Threading: [#submit], [#run], [#ready], [#progress], [#awaitAccess] and [#close] from any thread; all other methods
/// on the loop, that is, while holding the turn.
public final class DeviceEventLoop implements DeviceLoop, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceEventLoop.class);
    private static final int MOST_ROUNDS = 16;
    private static final int SCRATCH_BYTES = 64 * 1024;

    private record Timer(long deadline, Runnable action) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return Long.signum(deadline - other.deadline);
        }
    }

    private final Selector selector;
    private final Thread thread;
    private final Runnable onFatal;
    private final ReentrantLock turn = new ReentrantLock();
    private final ReadyList ready = new ReadyList();
    /// Queue pairs whose requests the posting thread takes.
    private final ReadyList readyHere = new ReadyList();
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH_BYTES);
    /// Set before the thread's last check for work before it sleeps. A thread that adds work afterwards wakes it.
    private final AtomicBoolean sleeping = new AtomicBoolean();

    private volatile boolean stopping;
    private volatile boolean ended;
    private volatile @Nullable PolledWork polledWork;

    /// @param onFatal runs on the loop after an unexpected failure
    public DeviceEventLoop(String threadName, Runnable onFatal) throws IOException {
        this.selector = Selector.open();
        this.onFatal = onFatal;
        this.thread = Thread.ofPlatform().name(threadName).daemon().unstarted(this::loop);
    }

    /// Sets the work that application threads do. Called before [#start()].
    public void use(PolledWork work) {
        polledWork = work;
    }

    public void start() {
        thread.start();
    }

    private void loop() {
        try {
            while (!stopping) {
                waitForWork();
                guarded(this::runCommands);
                guarded(this::runTimers);
                guarded(ready::serve);
            }
        } catch (IOException failure) {
            LOG.error("{}: the selector failed, the device is lost", thread.getName(), failure);
            guarded(onFatal);
        } finally {
            ended = true;
            closeSockets();
            runCommands();
        }
    }

    private void waitForWork() throws IOException {
        sleeping.set(true);
        if (!ready.isEmpty() || !commands.isEmpty() || stopping) {
            sleeping.set(false);
            selector.selectNow(this::dispatch);
            return;
        }
        Timer next = nextTimer();
        if (next == null) {
            selector.select(this::dispatch);
        } else {
            long delay = next.deadline - now();
            if (delay <= 0) {
                selector.selectNow(this::dispatch);
            } else {
                // Rounded up, so that a timer never fires early.
                selector.select(this::dispatch, TimeUnit.NANOSECONDS.toMillis(delay + 999_999));
            }
        }
        sleeping.set(false);
    }

    private @Nullable Timer nextTimer() {
        turn.lock();
        try {
            return timers.peek();
        } finally {
            turn.unlock();
            doPolledWork();
        }
    }

    private void dispatch(SelectionKey key) {
        // The thread is awake from the first socket event on: no poster needs to wake it.
        sleeping.set(false);
        if (key.attachment() instanceof Runnable handler) {
            guarded(handler);
        }
    }

    private void runCommands() {
        for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
            guarded(command);
        }
    }

    private void runTimers() {
        long now = now();
        for (Timer timer = nextTimer(); timer != null && timer.deadline - now <= 0; timer = nextTimer()) {
            Timer due = timer;
            guarded(() -> {
                timers.remove(due);
                due.action.run();
            });
        }
    }

    /// Runs `action` with the turn, and then the work of threads that found the turn taken. Any thread.
    public void inTurn(Runnable action) {
        beforeTurn(action);
        doPolledWork();
    }

    /// Runs `action` with the turn. The work of threads that found the turn taken is left to the thread's next
    /// [#inTurn], which must follow soon. Any thread.
    public void beforeTurn(Runnable action) {
        turn.lock();
        try {
            action.run();
        } finally {
            turn.unlock();
        }
    }

    /// Does the work that any thread may do, unless another thread holds the turn. That thread checks for work once
    /// more after it has released the turn.
    private void doPolledWork() {
        PolledWork work = polledWork;
        for (int round = 0; work != null && (!readyHere.isEmpty() || work.isRung()); round++) {
            if (round == MOST_ROUNDS) {
                // Limits the time that an application thread spends on a peer that keeps sending.
                work.leave();
                return;
            }
            if (turn.isHeldByCurrentThread() || !turn.tryLock()) {
                return;
            }
            try {
                serveOnce(work);
            } finally {
                turn.unlock();
            }
        }
    }

    @SuppressWarnings("CatchThrowable")
    private void serveOnce(PolledWork work) {
        try {
            readyHere.serve();
            work.serve();
        } catch (Throwable failure) {
            LOG.error("{}: unexpected failure, the device goes to its error state", thread.getName(), failure);
            onFatal.run();
        }
    }

    @Override
    public void progress() {
        PolledWork work = polledWork;
        if (work != null) {
            work.polled();
            doPolledWork();
        }
    }

    @Override
    public void awaitAccess() {
        inTurn(() -> {});
        PolledWork work = polledWork;
        if (work != null) {
            work.awaitCopies();
        }
    }

    @Override
    public Bell newBell() {
        PolledWork work = polledWork;
        return work == null ? DeviceLoop.super.newBell() : work.newBell();
    }

    /// A failure of one action must not end the thread on which all queue pairs depend. Since the failure is
    /// unexpected, the device reports it.
    @SuppressWarnings("CatchThrowable")
    private void guarded(Runnable action) {
        try {
            inTurn(action);
        } catch (Throwable failure) {
            LOG.error("{}: unexpected failure, the device goes to its error state", thread.getName(), failure);
            if (!action.equals(onFatal)) {
                guarded(onFatal);
            }
        }
    }

    private void closeSockets() {
        try {
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException failure) {
            LOG.debug("{}: closing the sockets failed", thread.getName(), failure);
        }
    }

    /// Registers a channel. `handler` runs on the loop whenever the channel is ready.
    public SelectionKey register(SelectableChannel channel, int operations, Runnable handler) throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, operations, handler);
    }

    /// A buffer for bytes that are read and discarded.
    public ByteBuffer scratch() {
        return scratch.clear();
    }

    @Override
    public long now() {
        return System.nanoTime();
    }

    @Override
    public void schedule(long delayNs, Runnable action) {
        timers.add(new Timer(now() + delayNs, action));
        if (!Thread.currentThread().equals(thread)) {
            wakeUp();
        }
    }

    @Override
    public void submit(Runnable action) {
        commands.add(action);
        wakeUp();
    }

    @Override
    public void run(Runnable action) {
        if (turn.isHeldByCurrentThread()) {
            action.run();
            return;
        }
        var task = new FutureTask<Void>(action, null);
        submit(task);
        if (ended) {
            // The loop may have checked its commands for the last time before this one was added; a task runs only
            // once.
            task.run();
        }
        await(task);
    }

    private static void await(FutureTask<Void> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    task.get();
                    return;
                } catch (InterruptedException again) {
                    interrupted = true;
                } catch (ExecutionException failure) {
                    if (failure.getCause() instanceof RuntimeException cause) {
                        throw cause;
                    }
                    throw new IllegalStateException(failure);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void ready(SoftwareQueuePair queuePair) {
        if (queuePair.link().takesAtOnce()) {
            readyHere.add(queuePair);
            doPolledWork();
        } else {
            ready.add(queuePair);
            wakeUp();
        }
    }

    /// Makes the I/O thread check all its sources again. Any thread.
    private void wakeUp() {
        if (sleeping.get() && sleeping.compareAndSet(true, false)) {
            selector.wakeup();
        }
    }

    @Override
    public boolean mayBeAwaited() {
        return !turn.isHeldByCurrentThread();
    }

    /// Wakes the I/O thread after another thread closed a socket or changed its interest set.
    void socketChanged() {
        if (!Thread.currentThread().equals(thread)) {
            selector.wakeup();
        }
    }

    /// Ends the thread and closes every socket. Returns when both are done, or at once on the loop's own thread.
    @Override
    public void close() {
        stopping = true;
        selector.wakeup();
        if (Thread.currentThread().equals(thread)) {
            return;
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
