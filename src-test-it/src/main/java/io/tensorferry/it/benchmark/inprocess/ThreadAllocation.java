package io.tensorferry.it.benchmark.inprocess;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The heap allocation of all threads of this process whose names share a prefix. For one thread.
public final class ThreadAllocation {
    /// The prefix of the completion loops' names.
    public static final String LOOPS = "tensorferry-loop-";

    /// The prefix of the names of the software device's I/O threads.
    public static final String DEVICE = "tensorferry-soft0-";

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Map<Long, Long> before = new ConcurrentHashMap<>();
    private final String prefix;

    /// @param prefix the prefix of the threads' names
    public ThreadAllocation(String prefix) {
        this.prefix = prefix;
    }

    /// Starts to count from zero.
    public void reset() {
        before.clear();
        for (long id : ids()) {
            before.put(id, threads.getThreadAllocatedBytes(id));
        }
    }

    /// Bytes allocated by all these threads since [#reset].
    public long bytes() {
        return Arrays.stream(ids())
                .map(id -> threads.getThreadAllocatedBytes(id) - before.getOrDefault(id, 0L))
                .sum();
    }

    /// The number of these threads.
    public int count() {
        return ids().length;
    }

    private long[] ids() {
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(info -> info != null && info.getThreadName().startsWith(prefix))
                .mapToLong(ThreadInfo::getThreadId)
                .toArray();
    }
}
