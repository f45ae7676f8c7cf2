package io.tensorferry.it.guest;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/// What only libibverbs devices have to show, on Soft-RoCE.
@DeviceTests(kind = "device", on = On.GUEST)
class IbverbsOnSoftRoceIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    @TestFactory
    @Timeout(value = 60, unit = TimeUnit.MINUTES) // the guest's kernel may have to be built
    List<DynamicNode> ibverbs() {
        return SuiteInGuest.named("ibverbs")
                .limit(LIMIT)
                .run(
                        "io.tensorferry.it.contract.device.IbverbsAllocationTest",
                        "io.tensorferry.it.contract.device.IbverbsRefusalTest",
                        "io.tensorferry.it.contract.device.IbverbsRelaxedOrderingTest",
                        "io.tensorferry.it.contract.rendezvous.IbverbsRelaxedOrderingRendezvousTest");
    }
}
