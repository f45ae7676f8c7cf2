package io.tensorferry.it.guest;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/// Ping-pong between our verbs and `ibv_rc_pingpong`, on Soft-RoCE.
@DeviceTests(kind = "interoperability", on = On.GUEST)
class RcPingPongOnSoftRoceIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    @TestFactory
    @Timeout(value = 60, unit = TimeUnit.MINUTES) // the guest's kernel may have to be built
    List<DynamicNode> pingPong() {
        return SoftRoce.run("pingpong", LIMIT, "io.tensorferry.it.interop.RcPingPongTest");
    }
}
