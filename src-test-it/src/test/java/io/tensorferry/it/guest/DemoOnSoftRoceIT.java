package io.tensorferry.it.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.samples.digits.TrainingDemo;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The demo on Soft-RoCE, with as many steps as it has by itself: it ends well only with the accuracy and the weights
/// that it has on every other device.
@DeviceTests(kind = "demo", on = On.GUEST)
class DemoOnSoftRoceIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES) // the guest's kernel may have to be built
    void threeProcessesTrainWhatOneProcessWould() {
        Guest.assumeThere();
        GuestResult result = Guest.command(
                        "demo", Guest.java(TrainingDemo.class, SuiteInGuest.oneHost(), List.of("--steps=400")))
                .limit(LIMIT)
                .run();
        String output = String.join("\n", result.output());
        assertThat(result.status()).as("%s%s", output, result.logTail()).isZero();
        assertThat(output)
                .contains("400/400")
                .containsPattern("held-out accuracy +0\\.9[3-9]")
                .containsPattern("device +rxe0")
                .containsPattern("protocol +grpc\\+verbs");
    }
}
