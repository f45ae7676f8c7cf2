package io.tensorferry.it.guest;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/// The rendezvous contract over `grpc+verbs`, on Soft-RoCE.
@DeviceTests(kind = "rendezvous", on = On.GUEST)
class RendezvousContractOnSoftRoceIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    @TestFactory
    @Timeout(value = 60, unit = TimeUnit.MINUTES) // the guest's kernel may have to be built
    List<DynamicNode> rendezvousContract() {
        return run("rendezvous", "VerbsRendezvousTest");
    }

    @TestFactory
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    List<DynamicNode> rendezvousContractWithWindows() {
        return run("rendezvous-windows", "VerbsWithWindowsRendezvousTest");
    }

    private static List<DynamicNode> run(String name, String contracts) {
        return SoftRoce.run(name, LIMIT, "io.tensorferry.it.contract.rendezvous." + contracts);
    }
}
