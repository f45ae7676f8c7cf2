package io.tensorferry.it.guest;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/// The device contract for libibverbs, on Soft-RoCE.
@DeviceTests(kind = "device", on = On.GUEST)
class DeviceContractOnSoftRoceIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    @TestFactory
    @Timeout(value = 60, unit = TimeUnit.MINUTES) // the guest's kernel may have to be built
    List<DynamicNode> deviceContract() {
        return SoftRoce.run("device", LIMIT, "io.tensorferry.it.contract.device.IbverbsDeviceContractTest");
    }
}
