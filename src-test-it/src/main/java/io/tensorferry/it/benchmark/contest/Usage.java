package io.tensorferry.it.benchmark.contest;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/// The memory usage of a process.
///
/// @param heapBytes reachable heap, measured after a collection
/// @param residentBytes the resident set size
public record Usage(long heapBytes, long residentBytes) {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";
    private static final long KIB = 1024;

    /// The usage of this process.
    public static Usage now() {
        System.gc();
        var memory = ManagementFactory.getMemoryMXBean();
        return new Usage(memory.getHeapMemoryUsage().getUsed(), resident());
    }

    /// The CPU time of all threads of this process since its start.
    public static long cpuNs() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private static long resident() {
        try {
            return Files.readAllLines(STATUS).stream()
                    .filter(line -> line.startsWith(RESIDENT))
                    .mapToLong(line -> Long.parseLong(line.substring(RESIDENT.length())
                                    .replace("kB", "")
                                    .strip())
                            * KIB)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String toLine() {
        return heapBytes + " " + residentBytes;
    }

    /// @throws IllegalArgumentException if `line` is not from [#toLine]
    public static Usage parse(String line) {
        String[] words = line.split(" ", -1);
        if (words.length != 2) {
            throw new IllegalArgumentException("'" + line + "' is not a usage");
        }
        return new Usage(Long.parseLong(words[0]), Long.parseLong(words[1]));
    }
}
