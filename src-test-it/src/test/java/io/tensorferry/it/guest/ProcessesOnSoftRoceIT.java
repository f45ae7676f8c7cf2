package io.tensorferry.it.guest;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/// The tests with two to four processes, on Soft-RoCE. The processes take the guest's two processors in turn.
@DeviceTests(kind = "process", on = On.GUEST)
class ProcessesOnSoftRoceIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    @TestFactory
    @Timeout(value = 60, unit = TimeUnit.MINUTES) // the guest's kernel may have to be built
    List<DynamicNode> processes() {
        return SoftRoce.run(
                "processes",
                LIMIT,
                "io.tensorferry.it.contract.device.DeviceProcessTest",
                "io.tensorferry.it.process.StartOrderIT",
                "io.tensorferry.it.process.ExchangeIT",
                "io.tensorferry.it.process.KilledWorkerIT",
                "io.tensorferry.it.process.KilledUnderLoadIT",
                "io.tensorferry.it.process.StoppedWorkerIT",
                "io.tensorferry.samples.digits.DemoIT");
    }
}
