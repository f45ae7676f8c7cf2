package io.tensorferry.grpc.admission;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// Counts refused calls and connections, and logs at most one line of each kind in 10 s: refused callers may retry at
/// once, and must not fill the disk.
///
/// Threading: any thread.
public final class Refusals {
    private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);
    private static final long QUIET_NS = 10_000_000_000L;

    private final String workerName;
    private final LongSupplier nanoTime;
    private final LongAdder calls = new LongAdder();
    private final LongAdder connections = new LongAdder();
    private final AtomicLong nextCallLineNs;
    private final AtomicLong nextConnectionLineNs;

    public Refusals(String workerName, LongSupplier nanoTime) {
        this.workerName = workerName;
        this.nanoTime = nanoTime;
        this.nextCallLineNs = new AtomicLong(nanoTime.getAsLong());
        this.nextConnectionLineNs = new AtomicLong(nanoTime.getAsLong());
    }

    void call(String why) {
        calls.increment();
        say(Level.WARN, nextCallLineNs, "a call", why);
    }

    void connection(String why) {
        connections.increment();
        // Less severe than a refused call: any port scan causes one.
        say(Level.INFO, nextConnectionLineNs, "a connection", why);
    }

    private void say(Level level, AtomicLong nextLineNs, String what, String why) {
        long now = nanoTime.getAsLong();
        long next = nextLineNs.get();
        if (now - next >= 0 && nextLineNs.compareAndSet(next, now + QUIET_NS)) {
            LOG.atLevel(level)
                    .log(
                            "{} refused {}: {} ({} calls and {} connections so far; the next 10 s are not logged)",
                            workerName,
                            what,
                            why,
                            calls.sum(),
                            connections.sum());
        }
    }

    public long calls() {
        return calls.sum();
    }

    public long connections() {
        return connections.sum();
    }
}
