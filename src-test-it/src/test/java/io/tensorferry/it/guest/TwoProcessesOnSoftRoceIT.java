package io.tensorferry.it.guest;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/// The test with two processes again and again, on Soft-RoCE: `-Dguest.runs` times, 3 without it.
@DeviceTests(kind = "process", on = On.GUEST)
class TwoProcessesOnSoftRoceIT {
    private static final int RUNS = Integer.getInteger("guest.runs", 1);
    private static final Duration LIMIT_OF_A_RUN = Duration.ofMinutes(1);

    @TestFactory
    @Timeout(value = 4, unit = TimeUnit.HOURS) // each run has its own limit
    List<DynamicNode> twoProcesses() {
        return SuiteInGuest.named("two-processes")
                .jvmArguments("-Dguest.runs=" + RUNS)
                .limit(LIMIT_OF_A_RUN.multipliedBy(RUNS))
                .run("io.tensorferry.it.process.TwoProcesses");
    }
}
