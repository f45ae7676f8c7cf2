package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.verbs.device.VerbsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Explains why memory was not registered: registration locks it in RAM, and the system limits locked memory per user.
final class LockedMemory {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String LIMIT_NAME = "Max locked memory";

    private LockedMemory() {}

    static String explain(int errno, long bytes, String deviceName) {
        String what = bytes + " bytes on " + deviceName;
        if (errno != VerbsException.ENOMEM) {
            return what;
        }
        return what + " cannot be locked in memory; is the limit of this process on locked memory (RLIMIT_MEMLOCK, now "
                + limit()
                + " bytes) too low? Raise it with ulimit -l, in limits.conf, by LimitMEMLOCK= of a systemd unit"
                + " or by --ulimit memlock= of a container";
    }

    /// The soft limit as the kernel formats it, in bytes or `unlimited`.
    private static String limit() {
        try (Stream<String> lines = Files.lines(LIMITS)) {
            return lines.filter(line -> line.startsWith(LIMIT_NAME))
                    .map(line -> line.substring(LIMIT_NAME.length()).strip().split("\\s+")[0])
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException | UncheckedIOException e) {
            return "unknown";
        }
    }
}
