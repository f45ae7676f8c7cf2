package io.tensorferry.it.guest;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/// Processes on two hosts, each with a device and a processor of its own, over good and bad networks.
@DeviceTests(kind = "two-host", on = On.GUEST)
@Timeout(value = 60, unit = TimeUnit.MINUTES) // the guest's kernel may have to be built
class TwoHostsIT {
    private static final Duration LIMIT = Duration.ofMinutes(6);
    private static final String BETWEEN_HOSTS = "io.tensorferry.it.process.BetweenHosts";

    @TestFactory
    List<DynamicNode> overAGoodNetwork() {
        return SuiteInGuest.named("hosts-mtu-4096")
                .twoHosts()
                .jvmArguments("-Dbetween.mtu=4096")
                .limit(LIMIT)
                .run(BETWEEN_HOSTS);
    }

    @TestFactory
    List<DynamicNode> withPacketsOf1024Bytes() {
        return SuiteInGuest.named("hosts-mtu-1024")
                .twoHosts()
                .mtu(1024)
                .jvmArguments("-Dbetween.mtu=1024")
                .limit(LIMIT)
                .run(BETWEEN_HOSTS);
    }

    @TestFactory
    List<DynamicNode> whereOnePacketInAHundredIsLost() {
        return SuiteInGuest.named("hosts-loss")
                .twoHosts()
                .netem("loss 1%")
                .jvmArguments("-Dbetween.mtu=4096", "-Dbetween.lossy=true")
                .limit(LIMIT)
                .run(BETWEEN_HOSTS);
    }

    @TestFactory
    List<DynamicNode> whereTheNetworkIsCutAndHeals() {
        return SuiteInGuest.named("hosts-cut")
                .twoHosts()
                .jvmArguments("-Dcut.emulated=true")
                .limit(LIMIT)
                .run("io.tensorferry.it.process.CutHosts");
    }
}
