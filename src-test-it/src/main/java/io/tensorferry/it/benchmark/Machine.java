package io.tensorferry.it.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Describes the machine that this process runs on, as reported by the system.
public final class Machine {
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

    private Machine() {}

    /// The number of the machine's processors, regardless of this process' affinity.
    public static int processors() {
        long processors = lines("processor").size();
        return processors == 0 ? Runtime.getRuntime().availableProcessors() : Math.toIntExact(processors);
    }

    /// The processor model; empty if unknown.
    public static String model() {
        List<String> models = lines("model name");
        return models.isEmpty() ? "" : models.getFirst();
    }

    /// Name, release and architecture of the operating system.
    public static String system() {
        return System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch");
    }

    private static List<String> lines(String name) {
        try {
            return Files.readAllLines(PROCESSORS).stream()
                    .map(line -> line.split(":", 2))
                    .filter(parts -> parts.length == 2 && parts[0].strip().equals(name))
                    .map(parts -> parts[1].strip())
                    .toList();
        } catch (IOException _) {
            return List.of();
        }
    }
}
