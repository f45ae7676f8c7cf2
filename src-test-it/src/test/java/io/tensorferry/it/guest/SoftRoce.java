package io.tensorferry.it.guest;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicNode;

/// Test classes that exist for other devices too, run on Soft-RoCE in the guest.
final class SoftRoce {
    private SoftRoce() {}

    /// Runs them all in one JVM in a guest of its own, where the system property `rdma.device` names the device and
    /// `rdma.host` its address and `it.pin` the processors for its children, and returns what became of each test.
    ///
    /// @param name of the run's files under `target/guest`
    static List<DynamicNode> run(String name, Duration limit, String... testClasses) {
        if (!Guest.isThere()) {
            // A test of its own: one that makes tests, when it is skipped, is not in Maven's report.
            return List.of(dynamicTest("the guest is there", Guest::assumeThere));
        }
        var replay = new SuiteReplay();
        var otherLines = new ArrayList<String>();
        List<String> java = Guest.java(
                GuestSuite.class,
                List.of("-Drdma.device=" + Guest.DEVICE, "-Drdma.host=" + Guest.ADDRESS, "-Dit.pin=0,1"),
                List.of(testClasses));
        GuestResult result = Guest.command(name, java)
                .limit(limit)
                .reader(line -> {
                    if (!replay.accept(line)) {
                        otherLines.add(line);
                    }
                })
                .run();
        return replay.tests("status " + result.status() + ", standard output:\n  " + String.join("\n  ", otherLines)
                + "\nerror stream:" + result.logTail());
    }
}
