package io.tensorferry.verbs.loop;

import io.tensorferry.verbs.device.CompletionChannel;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The event loop that owns every channel and every request of an adapter: runs commands of other threads, polls
/// completion queues, runs timers.
///
/// No exception of a command, channel or timer ends the loop. An exception of a command or timer is logged; an
/// exception of a channel ends that channel alone; [#mistakes()] counts both. If the completion channel fails, the
/// device has failed: the loop calls [#onDeviceFailure] and from then on sleeps without the completion channel, because
/// receives continue over the fallback and callers still wait for results.
///
/// Threading: [#execute] from any thread; everything else from the owner, which is the thread that calls [#doWork()]: a
/// [LoopThread], or a simulation.
public final class CompletionLoop implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(CompletionLoop.class);
    static final int COMMANDS_PER_TURN = 256;
    /// Cancelled timers count too.
    static final int TIMERS_PER_TURN = 256;

    private static final long LONGEST_SLEEP_NS = 1_000_000_000L;
    /// Up to this number, cancelled timers are not searched for.
    private static final int FEW_TIMERS = 64;

    private static final VarHandle TURN_CHANGES;

    static {
        try {
            TURN_CHANGES = MethodHandles.lookup().findVarHandle(CompletionLoop.class, "turnChanges", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CompletionChannel completions;
    private final NanoClock clock;
    private final MpscUnboundedVarHandleArrayQueue<Runnable> commands;
    private final PriorityQueue<Timer> timers = new PriorityQueue<>(CompletionLoop::compare);
    // How many of `timers` are cancelled.
    private int cancelledTimers;
    private final List<Pollable> polled = new ArrayList<>();
    private final AtomicBoolean sleeping = new AtomicBoolean();
    // Whether a channel has requests to post.
    private boolean pumpWanted;
    // The thread in a turn, null between turns. Other threads may read it without a fence: a thread always sees its own
    // writes.
    private @Nullable Thread turning;
    // Set when no thread turns the loop any more; `givenAfterEnd` counts the commands given since then that have not
    // run.
    private volatile boolean ended;
    private final AtomicInteger givenAfterEnd = new AtomicInteger();
    private long turnChanges;
    private final LongAdder mistakes = new LongAdder();
    private Consumer<RuntimeException> onDeviceFailure = _ -> {};
    // The thread that sleeps without the completion channel after its failure; null while the completion channel works.
    private volatile @Nullable Thread sleeper;

    public CompletionLoop(CompletionChannel completions, NanoClock clock) {
        this(completions, clock, 1024);
    }

    /// @param commandsPerPiece commands in one chunk of the queue's memory, a power of two
    public CompletionLoop(CompletionChannel completions, NanoClock clock, int commandsPerPiece) {
        this.completions = completions;
        this.clock = clock;
        this.commands = new MpscUnboundedVarHandleArrayQueue<>(commandsPerPiece);
    }

    /// An action scheduled for a time.
    public final class Timer {
        private final long dueNs;
        private final Runnable action;
        // Whether the timer has neither run nor been cancelled.
        private boolean live = true;

        private Timer(long dueNs, Runnable action) {
            this.dueNs = dueNs;
            this.action = action;
        }

        /// The time at which the action is due, on the clock of [#nanoTime()].
        public long dueNs() {
            return dueNs;
        }

        /// Has no effect if the timer has run.
        public void cancel() {
            if (live) {
                live = false;
                cancelledTimers++;
                forgetCancelledTimers();
            }
        }
    }

    /// Compares by difference, because the clock may overflow.
    private static int compare(Timer one, Timer other) {
        return Long.signum(one.dueNs - other.dueNs);
    }

    /// Runs `command` on the loop, soon. Commands of one thread run in the order given.
    @Override
    public void execute(Runnable command) {
        commands.offer(command);
        // The command must be in the queue before the flag is read, as the loop sets the flag before it reads the
        // queue. The queue does not order this by itself when it appends a new chunk of memory.
        VarHandle.fullFence();
        // Reads and clears the flag in one step, so that of several callers only one pays for the wake-up.
        if (sleeping.get() && sleeping.compareAndSet(true, false)) {
            wakeUp();
        }
        if (ended) {
            runAfterEnd();
        }
    }

    private void wakeUp() {
        Thread parked = sleeper;
        if (parked != null) {
            LockSupport.unpark(parked);
        } else {
            completions.wakeUp();
        }
    }

    /// Marks that no thread turns the loop any more. From now on a thread that gives a command runs it, or leaves it to
    /// a thread that is running another, so that late commands still run. Called by the owner, once.
    public void end() {
        ended = true;
        runAfterEnd();
    }

    /// One thread at a time runs commands; no thread waits for another.
    private void runAfterEnd() {
        if (givenAfterEnd.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            int done;
            do {
                done = runCommands();
            } while (done > 0);
            seen = givenAfterEnd.addAndGet(-seen);
        } while (seen != 0);
    }

    /// Sets the action called once, on the loop, when the completion channel fails. Set before the loop starts.
    public void onDeviceFailure(Consumer<RuntimeException> action) {
        onDeviceFailure = action;
    }

    /// Returns the loop that `thread` turns, or null if it turns none. Any thread.
    public static @Nullable CompletionLoop turnedBy(Thread thread) {
        return thread instanceof LoopThread.Turning turning ? turning.loop() : null;
    }

    /// Counts turn beginnings and ends: twice the number of turns, plus one during a turn. Any thread; used to monitor
    /// the duration of turns.
    public long turnChanges() {
        return (long) TURN_CHANGES.getOpaque(this);
    }

    /// Number of exceptions thrown by commands, timers and channels' turns. 0 in a correct program. Any thread.
    public long mistakes() {
        return mistakes.sum();
    }

    /// Like [#execute], but runs `command` at once if the caller is in a turn of the loop, so that its requests leave
    /// with that turn. The command must not depend on commands that were given before.
    @SuppressWarnings("ReferenceEquality") // threads are compared by identity
    public void executeSoonest(Runnable command) {
        if (turning == Thread.currentThread()) {
            runSafely(command);
        } else {
            execute(command);
        }
    }

    public long nanoTime() {
        return clock.nanoTime();
    }

    public Timer schedule(long delayNs, Runnable action) {
        var timer = new Timer(clock.nanoTime() + delayNs, action);
        timers.add(timer);
        return timer;
    }

    /// Bounds the number of cancelled timers in the queue to half of all timers, plus a small constant. The amortised
    /// cost of a cancellation is constant.
    private void forgetCancelledTimers() {
        if (cancelledTimers > FEW_TIMERS && cancelledTimers > timers.size() / 2) {
            timers.removeIf(timer -> !timer.live);
            cancelledTimers = 0;
        }
    }

    /// Number of timers in the queue, cancelled ones included.
    int timerCount() {
        return timers.size();
    }

    public void add(Pollable one) {
        polled.add(one);
    }

    public void remove(Pollable one) {
        polled.remove(one);
    }

    /// Schedules [Pollable#pumpIfWanted()] of every channel before the turn ends.
    public void pumpSoon() {
        pumpWanted = true;
    }

    /// Runs one turn: commands, completions, timers. Requests are posted once after the commands and completions that
    /// cause them, and once after the timers. Never blocks, and bounds the work of each kind; the next turn continues
    /// with the rest. Returns the amount of work; 0 means that nothing was done and nothing is left.
    public int doWork() {
        turning = Thread.currentThread();
        TURN_CHANGES.setOpaque(this, turnChanges + 1);
        try {
            return turn();
        } finally {
            TURN_CHANGES.setOpaque(this, turnChanges + 1);
            turning = null;
        }
    }

    /// The largest value that [#doWork()] returns with this number of channels open: for each channel, the turn's
    /// budget and what its last completion covers.
    public static int mostWorkOfATurn(int channels) {
        return COMMANDS_PER_TURN + TIMERS_PER_TURN + channels * 2 * TurnBudget.PER_TURN + 1;
    }

    /// Whether a command was given that has not run. Any thread; the result may be stale.
    public boolean hasCommands() {
        return !commands.isEmpty();
    }

    private int turn() {
        int work = runCommands();
        pump();
        // By index, because a channel that fails while it is polled leaves the list.
        for (int i = polled.size() - 1; i >= 0; i--) {
            if (i < polled.size()) {
                work += poll(polled.get(i));
            }
        }
        work += runTimers();
        pump();
        // Requests that are left to post wait for the next turn, so work is reported.
        return pumpWanted ? work + 1 : work;
    }

    private int poll(Pollable one) {
        try {
            return one.poll();
        } catch (RuntimeException | Error e) {
            end(one, e);
            return 1;
        }
    }

    private void pump() {
        if (pumpWanted) {
            pumpWanted = false;
            // From the last to the first, because a channel that fails leaves the list.
            for (int i = polled.size() - 1; i >= 0; i--) {
                Pollable one = polled.get(i);
                try {
                    one.pumpIfWanted();
                } catch (RuntimeException | Error e) {
                    end(one, e);
                }
            }
        }
    }

    /// The last resort: an exception that a channel should have handled ends that channel alone.
    private void end(Pollable one, Throwable mistake) {
        report("a turn of a channel failed, which ends the channel", mistake);
        try {
            one.fail(mistake);
        } catch (RuntimeException | Error e) {
            report("a channel could not be ended; it is no longer polled", e);
            polled.remove(one);
        }
    }

    /// An exception of the logger does not end the loop either.
    void report(String what, Throwable mistake) {
        mistakes.increment();
        try {
            LOG.error(what, mistake);
        } catch (RuntimeException | Error _) {
            // The failure cannot be reported anywhere else.
        }
    }

    private int runCommands() {
        int done = 0;
        while (done < COMMANDS_PER_TURN) {
            Runnable command = commands.poll();
            if (command == null) {
                break;
            }
            runSafely(command);
            done++;
        }
        return done;
    }

    private int runTimers() {
        int done = 0;
        for (int i = 0; i < TIMERS_PER_TURN; i++) {
            Timer timer = timers.peek();
            if (timer == null || timer.dueNs - clock.nanoTime() > 0) {
                return done;
            }
            timers.poll();
            if (timer.live) {
                timer.live = false;
                runSafely(timer.action);
                done++;
            } else {
                cancelledTimers--;
            }
        }
        // More timers may be due.
        return Math.max(1, done);
    }

    /// An exception in one command must not end every channel of the process, nor leave requests without a result.
    private void runSafely(Runnable command) {
        try {
            command.run();
        } catch (RuntimeException | Error e) {
            report("a command of the completion loop failed", e);
        }
    }

    /// Sleeps until there may be work: a completion, a command or a timer.
    void sleep() {
        sleeping.set(true);
        for (int i = polled.size() - 1; i >= 0; i--) {
            Pollable one = polled.get(i);
            try {
                one.requestNotification();
            } catch (RuntimeException | Error e) {
                end(one, e);
            }
        }
        // A completion that arrived before the notification was requested raises no notification.
        if (doWork() == 0 && commands.isEmpty()) {
            long ns = nanosToNextTimer();
            if (ns > 0) {
                rest(Math.min(LONGEST_SLEEP_NS, ns));
            }
        }
        sleeping.set(false);
    }

    private void rest(long ns) {
        if (sleeper != null) {
            LockSupport.parkNanos(this, ns);
            return;
        }
        try {
            completions.await(ns);
        } catch (RuntimeException e) {
            // The descriptor reports an error: the driver was reset, or the device was unplugged.
            sleeper = Thread.currentThread();
            onDeviceFailure.accept(e);
        }
    }

    /// Returns the nanoseconds until the next timer is due: 0 or less if one is late or if only a further turn can
    /// determine it, `Long.MAX_VALUE` if no timer is scheduled.
    public long nanosToNextTimer() {
        for (int i = 0; i < TIMERS_PER_TURN; i++) {
            Timer timer = timers.peek();
            if (timer == null) {
                return Long.MAX_VALUE;
            }
            if (timer.live) {
                return timer.dueNs - clock.nanoTime();
            }
            timers.poll();
            cancelledTimers--;
        }
        return 0;
    }
}
