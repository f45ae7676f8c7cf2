package io.tensorferry.verbs.config;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/// The memory available to this process: the machine's, or the container's memory limit.
final class PhysicalMemory {
    private static final long PAGE_BYTES = 4096;
    private static final long BYTES = read();

    private PhysicalMemory() {}

    /// Returns the memory divided by `parts`, in whole pages; [MemoryOptions#UNLIMITED] if the JVM cannot determine the
    /// size.
    static long share(int parts) {
        return BYTES <= 0 ? MemoryOptions.UNLIMITED : BYTES / parts & -PAGE_BYTES;
    }

    private static long read() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : 0;
    }
}
