package io.tensorferry.it.soak;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/// The native memory that this JVM has committed for the program, from its own tracking (`jcmd VM.native_memory`), in
/// KiB: off-heap memory and buffers, threads and their stacks. It excludes the heap, code, classes
/// and the JVM's own work, which vary by themselves.
public final class NativeMemory {
    /// What a JVM has to be started with.
    public static final String ARGUMENT = "-XX:NativeMemoryTracking=summary";

    private static final List<String> KINDS = List.of("Other", "Internal", "Thread", "Synchronization");

    private NativeMemory() {}

    /// The committed KiB of the program's kinds together, after a collection.
    ///
    /// @throws IllegalStateException if the JVM does not track
    public static long committedKib() {
        System.gc();
        String report = report();
        return KINDS.stream().mapToLong(kind -> committed(report, kind)).sum();
    }

    private static long committed(String report, String kind) {
        Matcher line = Pattern.compile("\\b" + kind + " \\(reserved=\\d+KB, committed=(\\d+)KB")
                .matcher(report);
        if (!line.find()) {
            throw new IllegalStateException("no line for " + kind + " in: " + report);
        }
        return Long.parseLong(line.group(1));
    }

    private static String report() {
        try {
            return (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "vmNativeMemory",
                            new Object[] {new String[] {"summary", "scale=KB"}},
                            new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }
}
