package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.verbs.device.VerbsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Why memory was not registered: registration locks it in RAM, and the system limits how much a user may lock.
final class LockedMemory {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String LIMIT_NAME = "Max locked memory";

    private LockedMemory() {}

    static String explain(int errno, long bytes, String deviceName) {
        String what = bytes + " bytes on " + deviceName;
        if (errno != VerbsException.ENOMEM) {
            return what;
        }
        return what + " cannot be locked in memory; this process may lock " + limit()
                + " bytes in all (RLIMIT_MEMLOCK: raise it with ulimit -l, in limits.conf, by LimitMEMLOCK of a systemd unit or"
                + " --ulimit memlock of a container)";
    }

    /// The soft limit as the kernel writes it: a number or `unlimited`.
    private static String limit() {
        try {
            for (String line : Files.readAllLines(LIMITS)) {
                if (line.startsWith(LIMIT_NAME)) {
                    return line.substring(LIMIT_NAME.length()).strip().split(" +")[0];
                }
            }
        } catch (IOException e) {
            return "an unknown number of";
        }
        return "an unknown number of";
    }
}
