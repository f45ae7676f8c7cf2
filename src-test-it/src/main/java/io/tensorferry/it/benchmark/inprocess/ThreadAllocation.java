package io.tensorferry.it.benchmark.inprocess;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// What the threads of this process whose names begin alike have allocated on the heap. For one thread.
public final class ThreadAllocation {
    /// Begins the names of the completion loops.
    public static final String LOOPS = "tensorferry-loop-";

    /// Begins the names of the software device's I/O threads.
    public static final String DEVICE = "tensorferry-soft0-";

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Map<Long, Long> before = new ConcurrentHashMap<>();
    private final String prefix;

    /// @param prefix of the names
    public ThreadAllocation(String prefix) {
        this.prefix = prefix;
    }

    /// Counts from here.
    public void reset() {
        before.clear();
        for (long id : ids()) {
            before.put(id, threads.getThreadAllocatedBytes(id));
        }
    }

    /// Bytes since [#reset], of all these threads together.
    public long bytes() {
        return Arrays.stream(ids())
                .map(id -> threads.getThreadAllocatedBytes(id) - before.getOrDefault(id, 0L))
                .sum();
    }

    /// How many such threads there are.
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
