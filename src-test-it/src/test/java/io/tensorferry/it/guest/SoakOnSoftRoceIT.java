package io.tensorferry.it.guest;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/// Nothing is left behind on Soft-RoCE, in `-Dsoak.cycles` cycles.
@DeviceTests(kind = "soak", on = On.GUEST)
class SoakOnSoftRoceIT {
    private static final Duration LIMIT = Duration.ofMinutes(45);

    @TestFactory
    @Timeout(value = 2, unit = TimeUnit.HOURS) // the guest's kernel may have to be built
    List<DynamicNode> soak() {
        return SuiteInGuest.named("soak")
                .passOn("soak.cycles")
                .limit(LIMIT)
                .run("io.tensorferry.it.contract.device.DeviceSoakTest", "io.tensorferry.it.process.ServerSoakIT");
    }
}
