package io.tensorferry.it.guest;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/// Addresses of the network device below Soft-RoCE come and go: what the kernel makes of its GID table, and which
/// events it reports.
@DeviceTests(kind = "process", on = On.GUEST)
class ChangedAddressOnSoftRoceIT {
    @TestFactory
    @Timeout(value = 60, unit = TimeUnit.MINUTES) // the guest's kernel may have to be built
    List<DynamicNode> changedAddress() {
        return SuiteInGuest.named("changed-address")
                // gRPC goes over an address that stays.
                .jvmArguments("-Drdma.host=127.0.0.1", "-Daddress.device=dummy0", "-Daddress.own=10.99.0.1/24")
                .run("io.tensorferry.it.process.ChangedAddress");
    }
}
