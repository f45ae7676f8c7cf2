package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.Futex;
import io.tensorferry.verbs.device.software.loop.DeviceEventLoop;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The thread that makes long copies, and serves a device's rings while no application thread does.
///
/// While an application thread polls, this thread only checks every [#WATCH_NS] that polling continues, so that peers
/// need not wake it for each request. Without polling it sleeps until a peer wakes it.
///
/// Threading: [#add] on the loop; [#polled()], [#awaitCopy()] and [#wakeIfAsleep()] by any thread; [#close] by any
/// other thread.
final class LongCopyThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LongCopyThread.class);
    private static final long WATCH_NS = 1_000_000;
    /// The interval at which the thread checks all rings, regardless of their bits.
    private static final long ROUND_NS = 250_000_000;

    private static final long LONGEST_SLEEP_NS = 3_600_000_000_000L;

    private final SharedMemory memory;
    private final DeviceEventLoop loop;
    private final DeviceFile device;
    private final Thread thread;
    private final Futex futex = new Futex();
    /// Held while a piece is copied.
    private final Semaphore copying = new Semaphore(1);
    /// Owned by the loop.
    private final Queue<CopyJob> jobs = new ArrayDeque<>();

    private final Runnable begin = this::begin;
    private final Runnable finish = this::finish;
    private final Runnable round = this::round;
    private volatile int waitingJobs;
    private final AtomicLong polls = new AtomicLong();
    private volatile boolean asleep;
    private volatile boolean stopping;
    private boolean started;
    /// The job of the current piece.
    private @Nullable CopyJob current;

    private boolean copied;
    private long seenPolls;
    private long lastRound = System.nanoTime();

    LongCopyThread(SharedMemory memory, DeviceEventLoop loop, DeviceFile device, String name) {
        this.memory = memory;
        this.loop = loop;
        this.device = device;
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    /// Starts the thread on the first call. On the loop.
    void startOnce() {
        if (!started) {
            started = true;
            thread.start();
        }
    }

    boolean isThisThread() {
        return Thread.currentThread().equals(thread);
    }

    /// Adds a job. The thread copies its pieces in sequence, alternating with the pieces of other jobs. On the loop.
    void add(CopyJob job) {
        jobs.add(job);
        waitingJobs = jobs.size();
        wakeIfAsleep();
    }

    /// Records a poll. The counter is a hint, so that a lost increment does no harm.
    void polled() {
        polls.setOpaque(polls.getPlain() + 1);
    }

    void wakeIfAsleep() {
        if (asleep && !isThisThread()) {
            device.wakeCopyThread();
        }
    }

    /// Returns after the current piece is copied. Any other thread, on the loop or not.
    void awaitCopy() {
        copying.acquireUninterruptibly();
        copying.release();
    }

    private void run() {
        while (!stopping) {
            try {
                work();
            } catch (RuntimeException | Error failure) {
                LOG.error("{}: unexpected failure", thread.getName(), failure);
            }
        }
    }

    private void work() {
        if (waitingJobs > 0) {
            copyPiece();
        } else {
            sleep();
        }
        if (System.nanoTime() - lastRound > ROUND_NS) {
            lastRound = System.nanoTime();
            loop.inTurn(round);
        }
    }

    private void copyPiece() {
        // Work that other threads leave to this one runs after the piece. Run now, it would wait for this thread.
        loop.beforeTurn(begin);
        CopyJob job = current;
        if (job != null) {
            copy(job);
        }
        loop.inTurn(finish);
    }

    private void copy(CopyJob job) {
        copied = false;
        try {
            job.copy();
            copied = true;
        } catch (IllegalStateException | IndexOutOfBoundsException | InternalError gone) {
            LOG.warn("registered memory cannot be accessed; its queue pair ends", gone);
        } finally {
            copying.release();
        }
    }

    private void begin() {
        current = null;
        CopyJob job = jobs.poll();
        if (job != null && job.begin()) {
            current = job;
            // Acquired before the turn ends: from here on, a thread that ends access waits.
            copying.acquireUninterruptibly();
        }
        waitingJobs = jobs.size();
    }

    private void finish() {
        CopyJob job = current;
        current = null;
        if (job != null && job.done(copied)) {
            jobs.add(job);
        }
        waitingJobs = jobs.size();
    }

    private void sleep() {
        long before = polls.getOpaque();
        boolean watched = before != seenPolls;
        seenPolls = before;
        asleep = true;
        int word = device.copyThreadWord();
        if (watched) {
            if (waitingJobs == 0 && !stopping) {
                device.sleepCopyThread(futex, word, WATCH_NS);
            }
            asleep = false;
            if (polls.getOpaque() != before) {
                return;
            }
        } else {
            device.addSleeper(DeviceFile.COPY_THREAD);
            if (waitingJobs == 0 && !stopping && !device.isMarked()) {
                device.sleepCopyThread(futex, word, memory.isIdle() ? LONGEST_SLEEP_NS : ROUND_NS);
            }
            asleep = false;
            device.removeSleeper(DeviceFile.COPY_THREAD);
        }
        loop.inTurn(() -> {});
    }

    private void round() {
        memory.serveAll();
    }

    @Override
    public void close() {
        stopping = true;
        device.wakeCopyThread();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        futex.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
