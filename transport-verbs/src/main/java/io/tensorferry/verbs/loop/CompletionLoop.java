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

/// The one thread that owns every channel and every request of an adapter: it takes commands of other threads,
/// polls completion queues, runs timers.
///
/// Nothing that a command, a channel or a timer throws ends it: a command or a timer that throws is logged, a channel
/// that throws is lost alone, and both are counted ([#mistakes()]). Where the completion channel fails, the device has
/// failed: [#onDeviceFailure] is told, and the loop sleeps without it from then on, because receives go on over the
/// fallback and callers still wait for their ends.
///
/// Threading: [#execute] from any thread; everything else from the owner, which is whoever calls [#doWork()]: a
/// [LoopThread], or a simulation.
public final class CompletionLoop implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(CompletionLoop.class);
    static final int COMMANDS_PER_TURN = 256;
    /// Those that were cancelled count too.
    static final int TIMERS_PER_TURN = 256;

    private static final long LONGEST_SLEEP_NS = 1_000_000_000L;
    /// Fewer cancelled timers are not worth a search.
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
    // Those among them that were cancelled.
    private int cancelledTimers;
    private final List<Pollable> polled = new ArrayList<>();
    private final AtomicBoolean sleeping = new AtomicBoolean();
    // Whether a channel has something to post.
    private boolean pumpWanted;
    // Whose turn it is, while it is. Others may look: a thread sees at least what it wrote itself.
    private @Nullable Thread turning;
    // Nobody turns it any more, and commands that were given since and have not run.
    private volatile boolean ended;
    private final AtomicInteger givenAfterEnd = new AtomicInteger();
    private long turnChanges;
    private final LongAdder mistakes = new LongAdder();
    private Consumer<RuntimeException> onDeviceFailure = _ -> {};
    // Who sleeps without the completion channel, which has failed; null while it works.
    private volatile @Nullable Thread sleeper;

    public CompletionLoop(CompletionChannel completions, NanoClock clock) {
        this(completions, clock, 1024);
    }

    /// @param commandsPerPiece how many commands a piece of the queue's memory holds, a power of two
    public CompletionLoop(CompletionChannel completions, NanoClock clock, int commandsPerPiece) {
        this.completions = completions;
        this.clock = clock;
        this.commands = new MpscUnboundedVarHandleArrayQueue<>(commandsPerPiece);
    }

    /// A moment at which something is to be done.
    public final class Timer {
        private final long dueNs;
        private final Runnable action;
        // Whether it is neither done nor cancelled.
        private boolean live = true;

        private Timer(long dueNs, Runnable action) {
            this.dueNs = dueNs;
            this.action = action;
        }

        /// In the loop's time.
        public long dueNs() {
            return dueNs;
        }

        /// Does nothing if it has run.
        public void cancel() {
            if (live) {
                live = false;
                cancelledTimers++;
                forgetCancelledTimers();
            }
        }
    }

    /// By their difference, because the clock may overflow.
    private static int compare(Timer one, Timer other) {
        return Long.signum(one.dueNs - other.dueNs);
    }

    /// Has `command` run on the loop, soon, in the order in which one thread gave its commands.
    @Override
    public void execute(Runnable command) {
        commands.offer(command);
        // The command must be in the queue before the flag is read, as the loop sets the flag before it looks into the
        // queue. Where the queue goes on in a new piece of memory, it does not order that by itself.
        VarHandle.fullFence();
        // Reads and clears in one step, so that of many callers one pays for the wake-up.
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

    /// Nobody turns the loop any more. From now on whoever gives a command runs it, or leaves it to somebody who is
    /// running another: what is asked for too late has its end all the same. Called by the owner, once.
    public void end() {
        ended = true;
        runAfterEnd();
    }

    /// One thread at a time, and none waits for another.
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

    /// What is told, once and on the loop, that the completion channel has failed. Set before the loop starts.
    public void onDeviceFailure(Consumer<RuntimeException> action) {
        onDeviceFailure = action;
    }

    /// The loop that a thread turns; null for a thread that turns none. Any thread.
    public static @Nullable CompletionLoop turnedBy(Thread thread) {
        return thread instanceof LoopThread.Turning turning ? turning.loop() : null;
    }

    /// Turns that have begun, and ended: twice the number of turns, and one more in the middle of a turn. Any thread;
    /// for
    /// those who watch how long a turn takes.
    public long turnChanges() {
        return (long) TURN_CHANGES.getOpaque(this);
    }

    /// How many commands, timers and turns of channels have thrown. 0 in a correct program. Any thread.
    public long mistakes() {
        return mistakes.sum();
    }

    /// The same, but at once if the caller is in a turn of the loop: what it posts leaves with that turn. It must not
    /// depend on commands that were given before.
    @SuppressWarnings("ReferenceEquality") // threads are equal if they are the same
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

    /// So that what is cancelled long before it is due does not pile up: never more than half of the timers are
    /// cancelled ones, but for a few, and one that is cancelled costs the same however many there are.
    private void forgetCancelledTimers() {
        if (cancelledTimers > FEW_TIMERS && cancelledTimers > timers.size() / 2) {
            timers.removeIf(timer -> !timer.live);
            cancelledTimers = 0;
        }
    }

    /// Timers that are kept, cancelled ones too.
    int timerCount() {
        return timers.size();
    }

    public void add(Pollable one) {
        polled.add(one);
    }

    public void remove(Pollable one) {
        polled.remove(one);
    }

    /// Calls [Pollable#pumpIfWanted()] of each before the turn ends.
    public void pumpSoon() {
        pumpWanted = true;
    }

    /// One turn: commands, completions, timers; and after each of these, once, what came of all of them is posted.
    /// Never waits, and does at most so much of each; what is left over is the next turn's. Returns how much there was
    /// to do; 0 means that nothing was, and that nothing is left over.
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

    /// The most that [#doWork()] returns, with so many channels open: of each channel, what is taken of it and what its
    /// last
    /// completion tells of.
    public static int mostWorkOfATurn(int channels) {
        return COMMANDS_PER_TURN + TIMERS_PER_TURN + channels * 2 * TurnBudget.PER_TURN + 1;
    }

    /// Whether a command was given that has not run. Any thread; it may be so no longer.
    public boolean hasCommands() {
        return !commands.isEmpty();
    }

    private int turn() {
        int work = runCommands();
        pump();
        // By index, because one that fails while it is polled leaves the list.
        for (int i = polled.size() - 1; i >= 0; i--) {
            if (i < polled.size()) {
                work += poll(polled.get(i));
            }
        }
        work += runTimers();
        pump();
        // What is left to post waits for the next turn, and so there is one.
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
            // From the last to the first, because one that fails leaves the list.
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

    /// The last resort: an exception that a channel should have handled ends that channel, and no other.
    private void end(Pollable one, Throwable mistake) {
        report("a turn of a channel failed, which ends it", mistake);
        try {
            one.fail(mistake);
        } catch (RuntimeException | Error e) {
            report("a channel could not be ended; it is polled no more", e);
            polled.remove(one);
        }
    }

    /// Not even a logger of the user's that throws ends the loop.
    void report(String what, Throwable mistake) {
        mistakes.increment();
        try {
            LOG.error(what, mistake);
        } catch (RuntimeException | Error _) {
            // There is nowhere left to report it.
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
        // There may be more.
        return Math.max(1, done);
    }

    /// A mistake in one command must not end every channel of the process, nor leave all that wait without an
    /// answer.
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
        // Whatever came before the notification was asked for raises none.
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

    /// Nanoseconds until the next timer is due, 0 or less if one is late or only a further turn can tell,
    /// `Long.MAX_VALUE` if there is none.
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
