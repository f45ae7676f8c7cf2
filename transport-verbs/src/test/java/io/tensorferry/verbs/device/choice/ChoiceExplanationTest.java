package io.tensorferry.verbs.device.choice;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.LogCapture;
import io.tensorferry.verbs.device.PortAttributes.PortState;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class ChoiceExplanationTest {
    private final FakeProvider software = new FakeProvider("software", new FakeDevice("soft0"));

    private ChoiceExplanation explain(RdmaConfig.Builder config, FakeProvider verbs) {
        ChoiceExplanation explanation = DeviceChoice.explain(config.build(), List.of(verbs, software));
        assertThat(verbs.open()).as("everything is closed again").isEmpty();
        assertThat(software.open()).isEmpty();
        return explanation;
    }

    private static List<String> lines(ChoiceExplanation explanation) {
        return explanation
                .devices()
                .map(device -> device.name() + " " + device.verdict() + " " + device.reason())
                .toList();
    }

    @Test
    void everyDeviceIsListedWithWhatBecameOfItAndNothingIsLogged() {
        var verbs = new FakeProvider(
                "libibverbs",
                new FakeDevice("siw0").iwarp(),
                new FakeDevice("mlx5_0").ports(PortState.INIT, PortState.ACTIVE, PortState.ACTIVE),
                new FakeDevice("mlx5_1"),
                new FakeDevice("mlx5_2").ports(PortState.DOWN));
        try (var log = new LogCapture(DeviceChoice.class)) {
            ChoiceExplanation explanation = explain(RdmaConfig.builder(), verbs);

            assertThat(lines(explanation))
                    .containsExactly(
                            "siw0 REFUSED has no RDMA WRITE with immediate (iWARP)",
                            "mlx5_0 TAKEN is the first usable device",
                            "mlx5_1 PASSED_OVER could be used, but mlx5_0 comes first",
                            "mlx5_2 REFUSED has no active port (port 1 is DOWN)",
                            "soft0 PASSED_OVER could be used, but mlx5_0 comes first");
            assertThat(explanation.taken())
                    .hasToString("mlx5_0 (libibverbs), port 2, GID 0 ::ffff:10.0.0.1 (RoCE v2), MTU 1024");
            assertThat(explanation.failure()).isNull();
            assertThat(explanation.taken().device().ports())
                    .extracting(port -> port.number() + " " + port.verdict() + " " + port.reason())
                    .containsExactly(
                            "1 REFUSED it is INIT",
                            "2 TAKEN the first active port",
                            "3 PASSED_OVER port 2 comes first");
            assertThat(log.messages(Level.INFO)).isEmpty();
        }
    }

    @Test
    void aNamedDeviceAloneIsOpened() {
        var verbs = new FakeProvider(
                "libibverbs",
                new FakeDevice("mlx5_0"),
                new FakeDevice("mlx5_1").ports(PortState.ACTIVE, PortState.ACTIVE));
        ChoiceExplanation explanation =
                explain(RdmaConfig.builder().device("mlx5_1").port(2), verbs);
        assertThat(lines(explanation))
                .containsExactly(
                        "mlx5_0 PASSED_OVER device (RDMA_DEVICE) names mlx5_1",
                        "mlx5_1 TAKEN is named by device (RDMA_DEVICE)",
                        "soft0 PASSED_OVER device (RDMA_DEVICE) names mlx5_1");
        assertThat(explanation.taken().port()).isEqualTo(2);
        assertThat(verbs.opened()).containsExactly("mlx5_1");
    }

    @Test
    void aFailureIsTheOneThatChooseThrows() {
        var verbs = new FakeProvider("libibverbs", new FakeDevice("siw0").iwarp());
        ChoiceExplanation explanation = explain(RdmaConfig.builder().device("siw0"), verbs);
        assertThat(explanation.taken()).isNull();
        assertThat(explanation.failure())
                .isEqualTo("device (RDMA_DEVICE) is siw0, which has no RDMA WRITE with immediate (iWARP)");
        assertThat(explanation.refusals()).containsExactly("siw0 has no RDMA WRITE with immediate (iWARP)");
    }

    @Test
    void settingsThatDoNotFitTheFirstUsableDeviceEndTheChoice() {
        var verbs = new FakeProvider("libibverbs", new FakeDevice("mlx5_0"), new FakeDevice("mlx5_1"));
        ChoiceExplanation explanation = explain(RdmaConfig.builder().mtu(4096), verbs);
        assertThat(explanation.taken()).isNull();
        assertThat(explanation.failure()).startsWith("mtu (RDMA_QP_MTU) is 4096");
        assertThat(lines(explanation))
                .element(0)
                .asString()
                .startsWith("mlx5_0 REFUSED does not fit: mtu (RDMA_QP_MTU) is 4096");
        assertThat(lines(explanation)).contains("mlx5_1 PASSED_OVER was not looked at");
    }

    @Test
    void theSoftwareDeviceSaysWhyItsTurnHasCome() {
        assertThat(lines(explain(RdmaConfig.builder(), new FakeProvider("libibverbs"))))
                .containsExactly("soft0 TAKEN is taken because no RDMA device is present");
        assertThat(lines(explain(RdmaConfig.builder(), new FakeProvider("libibverbs", new FakeDevice("siw0").iwarp()))))
                .contains("soft0 TAKEN is taken because no RDMA device is usable");
    }
}
