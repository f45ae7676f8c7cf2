package io.tensorferry.samples.digits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.it.process.ChildFailedException;
import io.tensorferry.it.process.ChildJvm;
import io.tensorferry.it.process.Place;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The demo as a user runs it, in a process of its own, with fewer steps.
@Timeout(value = 90, unit = TimeUnit.SECONDS)
class DemoIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @ParameterizedTest
    @CsvSource({"grpc+verbs,rendezvous", "grpc,rendezvous", "grpc+verbs,static", "grpc+verbs,dynamic"})
    void threeProcessesTrainWhatOneProcessWould(String protocol, String placement) throws Exception {
        try (ChildJvm demo = demo("--steps=40", "--protocol=" + protocol, "--placement=" + placement)) {
            demo.awaitSuccess(LIMIT);
            assertThat(demo.awaitLine("training 100%", LIMIT)).contains("40/40", "loss", "accuracy");
            // awaitLine has checked that the lines are there; the demo itself, that the numbers are right.
            demo.awaitLine("held-out accuracy", LIMIT);
            demo.awaitLine("one-process check", LIMIT);
            assertThat(demo.awaitLine("moved", LIMIT)).containsPattern("40\\d tensors, .* in 40 steps");
            String device = Place.of(0).device();
            assertThat(demo.awaitLine("device", LIMIT))
                    .doesNotContain("null")
                    .contains(device == null || protocol.equals(ServerConfig.GRPC) ? "" : device);
            assertThat(demo.awaitLine("protocol", LIMIT)).endsWith(" " + protocol);
        }
    }

    @Test
    void aFailureIsToldAndGivesAStatus() throws Exception {
        try (ChildJvm demo = demo("--protocol=carrier-pigeon")) {
            assertThatThrownBy(() -> demo.awaitSuccess(LIMIT))
                    .isInstanceOf(ChildFailedException.class)
                    .hasMessageContaining("protocol 'carrier-pigeon' is unknown")
                    .hasMessageContaining("ended with status 1");
        }
    }

    private static ChildJvm demo(String... arguments) {
        return ChildJvm.of(TrainingDemo.class)
                .name("demo")
                .jvmArguments("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
                .arguments(arguments)
                .start();
    }
}
