package io.tensorferry.it.guest;

import java.time.Duration;
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
        return SuiteInGuest.named(name).limit(limit).run(testClasses);
    }
}
