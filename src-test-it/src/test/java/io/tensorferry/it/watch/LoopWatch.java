package io.tensorferry.it.watch;

import io.tensorferry.verbs.loop.CompletionLoop;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Looks at every thread that turns a loop, again and again, and keeps what a loop must not do:
///
/// - run code of the user's, which here is code of the tests, unless the test gave it to the loop itself;
/// - wait in a turn: for a lock whose owner is in the middle of I/O, or for anything for longer than a critical section
///   takes;
/// - spend more than [#MOST_TURN_MS] of processor time in one turn.
///
/// The watch samples, so it misses short events at times. A whole contract repeats them often enough to catch each kind
/// once.
///
/// Threading: any thread.
final class LoopWatch {
    /// Processor time, so the load of other processes does not count. A turn takes microseconds; code that runs for the
    /// first time is loaded and interpreted.
    static final long MOST_TURN_MS = 500;

    /// Wall-clock time in a turn without a runnable state: a critical section takes microseconds, but its owner may
    /// wait
    /// for a processor.
    static final long MOST_WAIT_MS = 500;

    private static final long PERIOD_MS = 2;
    /// Every Nth look searches for new threads.
    private static final int SEARCH = 10;

    private static final String LOOP = CompletionLoop.class.getName();
    private static final List<String> IO =
            List.of("sun.nio.ch.", "java.net.", "java.io.File", "java.io.RandomAccessFile", "io.tensorferry.bindings.");

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final Map<Thread, Seen> seen = new HashMap<>();
    private final Map<String, Boolean> tests = new HashMap<>();
    private final Predicate<Thread> watched;

    /// The turn that a thread was in when it was first seen there.
    private record Seen(long turn, long sinceNs, long cpuNs, long waitingSinceNs) {}

    /// @param watched among the threads that turn loops
    LoopWatch(Predicate<Thread> watched) {
        this.watched = watched;
    }

    /// Starts a thread that looks until the process ends.
    void start() {
        Thread.ofPlatform().daemon().name("loop-watch").start(() -> {
            Thread[] loops = {};
            for (int look = 0; ; look++) {
                if (look % SEARCH == 0) {
                    loops = loops();
                    seen.keySet().retainAll(List.of(loops));
                }
                for (Thread loop : loops) {
                    look(loop);
                }
                try {
                    Thread.sleep(PERIOD_MS);
                } catch (InterruptedException e) {
                    return;
                }
            }
        });
    }

    private Thread[] loops() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        var all = new Thread[root.activeCount() + 64];
        int count = root.enumerate(all);
        return Arrays.stream(all, 0, count)
                .filter(thread -> CompletionLoop.turnedBy(thread) != null && watched.test(thread))
                .toArray(Thread[]::new);
    }

    private void look(Thread thread) {
        CompletionLoop loop = CompletionLoop.turnedBy(thread);
        if (loop == null) {
            return;
        }
        long turn = loop.turnChanges();
        if (turn % 2 == 0) {
            seen.remove(thread);
            return;
        }
        StackTraceElement[] stack = thread.getStackTrace();
        Thread.State state = thread.getState();
        long cpuNs = threads.getThreadCpuTime(thread.threadId());
        if (loop.turnChanges() != turn) {
            // Another turn by now: what was read belongs to none of the two.
            seen.remove(thread);
            return;
        }
        String user = usersFrame(stack);
        if (user != null) {
            add("ran code of the user's: " + user, stack);
        }
        boolean waits = state != Thread.State.RUNNABLE;
        long nowNs = System.nanoTime();
        Seen before = seen.get(thread);
        if (before == null || before.turn != turn) {
            before = new Seen(turn, nowNs, cpuNs, waits ? nowNs : 0);
        } else if (!waits || before.waitingSinceNs == 0) {
            before = new Seen(turn, before.sinceNs, before.cpuNs, waits ? nowNs : 0);
        }
        seen.put(thread, before);
        if (waits) {
            String owner = loadsClass(stack) ? null : ownerInIo(thread);
            if (owner != null) {
                add("waited for a lock that " + owner + " holds across I/O", stack);
            }
            if (nowNs - before.waitingSinceNs > MOST_WAIT_MS * 1_000_000) {
                add("waited in a turn for more than " + MOST_WAIT_MS + " ms", stack);
                seen.remove(thread);
            }
        }
        if (cpuNs - before.cpuNs > MOST_TURN_MS * 1_000_000) {
            add("spent more than " + MOST_TURN_MS + " ms of processor time in one turn", stack);
            seen.remove(thread);
        }
    }

    /// The innermost frame of a test that the loop has called, and no test gave to it.
    private @Nullable String usersFrame(StackTraceElement[] stack) {
        String found = null;
        for (int i = 0; i < stack.length; i++) {
            String type = stack[i].getClassName();
            if (type.equals(LOOP) && stack[i].getMethodName().equals("runSafely")) {
                // A command of a test's own, as a probe.
                return i > 0 && isOfTests(stack[i - 1].getClassName()) ? null : found;
            }
            if (found == null && isOfTests(type)) {
                found = stack[i].toString();
            }
        }
        return found;
    }

    private boolean isOfTests(String type) {
        return tests.computeIfAbsent(type, LoopWatch::isTest);
    }

    private static boolean isTest(String type) {
        if (!type.startsWith("io.tensorferry.")) {
            return false;
        }
        try {
            ProtectionDomain domain = Class.forName(
                            type.replaceAll("/0x.*", "").replaceAll("\\$\\$Lambda.*", ""),
                            false,
                            LoopWatch.class.getClassLoader())
                    .getProtectionDomain();
            CodeSource source = domain.getCodeSource();
            return source != null
                    && source.getLocation()
                            .equals(LoopWatch.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation());
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /// The JVM loads a class on the first thread that needs it, which reads a jar under a lock of the whole process. No
    /// code of a loop can avoid that; it happens once for each class.
    private static boolean loadsClass(StackTraceElement[] stack) {
        return Arrays.stream(stack).anyMatch(frame -> frame.getClassName().startsWith("jdk.internal.loader."));
    }

    private @Nullable String ownerInIo(Thread waiting) {
        ThreadInfo first = threads.getThreadInfo(waiting.threadId());
        if (first == null || first.getLockOwnerId() < 0) {
            return null;
        }
        // Both of one moment: the owner may have released the lock since, and be in I/O without it.
        long[] both = {waiting.threadId(), first.getLockOwnerId()};
        ThreadInfo[] now = threads.getThreadInfo(both, Integer.MAX_VALUE);
        ThreadInfo waiter = now[0];
        ThreadInfo owner = now[1];
        if (waiter == null
                || owner == null
                || waiter.getLockOwnerId() != owner.getThreadId()
                || loadsClass(waiter.getStackTrace())
                || loadsClass(owner.getStackTrace())) {
            return null;
        }
        for (StackTraceElement frame :
                Arrays.stream(owner.getStackTrace()).limit(8).toList()) {
            if (IO.stream().anyMatch(frame.getClassName()::startsWith)) {
                return owner.getThreadName() + " at " + frame;
            }
        }
        return null;
    }

    private void add(String what, StackTraceElement[] stack) {
        if (violations.size() < 20) {
            var text = new StringBuilder("a loop ").append(what);
            for (StackTraceElement frame : stack) {
                text.append("\n        at ").append(frame);
            }
            violations.add(text.toString());
        }
    }

    /// What was seen since the last call.
    List<String> take() {
        List<String> taken = List.copyOf(violations);
        violations.clear();
        return taken;
    }
}
