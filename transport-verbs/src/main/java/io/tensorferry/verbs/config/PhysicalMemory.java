package io.tensorferry.verbs.config;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/// The memory that this process may use at most: the machine's, or that of its container where it has a limit.
final class PhysicalMemory {
    private static final long PAGE_BYTES = 4096;
    private static final long BYTES = read();

    private PhysicalMemory() {}

    /// A share of it, in whole pages; [MemoryOptions#UNLIMITED] where the JVM does not know how much there is.
    static long share(int parts) {
        return BYTES <= 0 ? MemoryOptions.UNLIMITED : BYTES / parts & -PAGE_BYTES;
    }

    private static long read() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : 0;
    }
}
