package io.tensorferry.it.benchmark.growth;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/// Measures the CPU time of the calling thread for parts of its work. Other load on the machine does not count, and
/// neither does reading the clock.
final class ThreadTime {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int LOOKS = 1_000;

    private long sumNs;
    private long parts;

    /// Runs one part.
    void add(Runnable part) {
        long beganNs = THREADS.getCurrentThreadCpuTime();
        part.run();
        sumNs += THREADS.getCurrentThreadCpuTime() - beganNs;
        parts++;
    }

    /// The CPU time of all parts in nanoseconds.
    double ns() {
        long began = THREADS.getCurrentThreadCpuTime();
        long now = began;
        for (int i = 0; i < LOOKS; i++) {
            now = THREADS.getCurrentThreadCpuTime();
        }
        double lookNs = (double) (now - began) / LOOKS;
        return Math.max(0, sumNs - parts * lookNs);
    }
}
