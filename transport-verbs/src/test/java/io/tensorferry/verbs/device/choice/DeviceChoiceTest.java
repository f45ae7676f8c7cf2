package io.tensorferry.verbs.device.choice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.DeviceRequirement;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.device.LogCapture;
import io.tensorferry.verbs.device.PortAttributes.PortState;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class DeviceChoiceTest {
    private final FakeProvider software = new FakeProvider("software", new FakeDevice("soft0"));

    private static RdmaConfig config(UnaryOperator<RdmaConfig.Builder> change) {
        return change.apply(RdmaConfig.builder()).build();
    }

    private static RdmaConfig device(String name) {
        return config(builder -> builder.device(name));
    }

    private static FakeProvider verbs(FakeDevice... devices) {
        return new FakeProvider("libibverbs", devices);
    }

    private ChosenPort choose(RdmaConfig config, FakeProvider verbs) {
        return DeviceChoice.choose(config, List.of(verbs, software));
    }

    @Test
    void takesTheFirstDeviceWithAnActivePort() {
        var verbs = verbs(
                new FakeDevice("down").ports(PortState.DOWN, PortState.INIT),
                new FakeDevice("iwarp").iwarp(),
                new FakeDevice("good").ports(PortState.ARMED, PortState.ACTIVE),
                new FakeDevice("later"));

        ChosenPort chosen = choose(config(builder -> builder), verbs);

        assertThat(chosen.device().name()).isEqualTo("good");
        assertThat(chosen.portNumber()).isEqualTo(2);
        assertThat(chosen.attributes().state()).isEqualTo(PortState.ACTIVE);
        assertThat(chosen.mtu()).isEqualTo(1024);
        assertThat(verbs.open()).containsExactly("good");
        assertThat(software.open()).isEmpty();
        chosen.device().close();
        assertThat(verbs.open()).isEmpty();
    }

    @Test
    void withNoRdmaDeviceTheSoftwareDeviceIsTakenAndOneLineSaysSo() {
        try (var log = new LogCapture(DeviceChoice.class)) {
            ChosenPort chosen = choose(config(builder -> builder), verbs());
            assertThat(chosen.device().name()).isEqualTo("soft0");
            assertThat(log.messages(Level.INFO))
                    .containsExactly("no RDMA device is present: tensors travel over the software device soft0");
            assertThat(log.messages(Level.WARN)).isEmpty();
        }
    }

    @Test
    void withOnlyUnusableDevicesTheSoftwareDeviceIsTakenAndTheReasonsAreSaid() {
        var verbs = new FakeProvider(
                "libibverbs",
                Set.of("broken"),
                new FakeDevice("broken"),
                new FakeDevice("iwarp").iwarp(),
                new FakeDevice("down").ports(PortState.DOWN),
                new FakeDevice("nameless").gids(FakeDevice.unused(0)),
                new FakeDevice("mute").failingQueries());
        try (var log = new LogCapture(DeviceChoice.class)) {
            assertThat(choose(config(builder -> builder), verbs).device().name())
                    .isEqualTo("soft0");
            assertThat(log.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains(
                            "soft0",
                            "broken cannot be opened",
                            "iwarp has no RDMA WRITE with immediate (iWARP)",
                            "down has no active port",
                            "nameless has no GID on port 1",
                            "mute cannot be queried");
        }
        assertThat(verbs.open()).isEmpty();
    }

    @Test
    void theSoftwareDeviceCanBeAskedForWithoutAWarning() {
        var verbs = verbs(new FakeDevice("mlx5_0"));
        try (var log = new LogCapture(DeviceChoice.class)) {
            assertThat(choose(device("soft0"), verbs).device().name()).isEqualTo("soft0");
            assertThat(log.messages(Level.INFO))
                    .containsExactly("RDMA device: soft0 (software), port 1, GID 0 ::ffff:10.0.0.1 (RoCE v2), MTU 1024;"
                            + " it is named by device (RDMA_DEVICE)");
            assertThat(log.messages(Level.WARN)).isEmpty();
        }
        assertThat(verbs.open()).isEmpty();
    }

    @Test
    void whatTheSoftwareDeviceCannotHonourIsAcceptedAndSaidOnceAtDebug() {
        var config = config(builder -> builder.device("soft0").serviceLevel(3).trafficClass(32));
        try (var log = new LogCapture(DeviceChoice.class)) {
            assertThat(choose(config, verbs()).device().name()).isEqualTo("soft0");
            assertThat(log.messages(Level.DEBUG))
                    .containsOnlyOnce(
                            "service level 3 and traffic class 32 have no effect on the software device soft0");
        }
    }

    @Test
    void noUsableDeviceAtAllIsUnavailableWithTheReasons() {
        var verbs = verbs(new FakeDevice("down").ports(PortState.DOWN));
        assertThatThrownBy(() -> DeviceChoice.choose(config(builder -> builder), List.of(verbs)))
                .isInstanceOf(TransportException.class)
                .hasMessage("UNAVAILABLE: there is no usable RDMA device: down has no active port (port 1 is DOWN)");
        assertThatThrownBy(() -> DeviceChoice.choose(config(builder -> builder), List.of()))
                .isInstanceOf(TransportException.class)
                .hasMessage("UNAVAILABLE: there is no usable RDMA device");
        assertThat(verbs.open()).isEmpty();
    }

    private void assertRefused(RdmaConfig config, FakeProvider verbs, String... parts) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> choose(config, verbs))
                .satisfies(e -> assertThat(e.getMessage()).contains(parts));
        assertThat(verbs.open()).as("opened devices are closed again").isEmpty();
        assertThat(software.open()).isEmpty();
    }

    @Test
    void anUnknownDeviceIsAnErrorThatListsThoseThatExist() {
        assertRefused(
                device("mlx4_0"),
                verbs(new FakeDevice("mlx5_0"), new FakeDevice("mlx5_1")),
                "device (RDMA_DEVICE) is mlx4_0; accepted: ",
                "mlx5_0 (libibverbs), mlx5_1 (libibverbs), soft0 (software)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceChoice.choose(device("mlx4_0"), List.of()))
                .withMessageContaining("there is none");
    }

    @Test
    void aNamedDeviceThatCannotBeUsedIsAnError() {
        assertRefused(
                device("iwarp"),
                verbs(new FakeDevice("iwarp").iwarp()),
                "device (RDMA_DEVICE) is iwarp, which has no RDMA WRITE with immediate (iWARP)");
        assertRefused(
                device("down"),
                verbs(new FakeDevice("down").ports(PortState.DOWN, PortState.INIT)),
                "device (RDMA_DEVICE) is down, which has no active port (port 1 is DOWN, port 2 is INIT)");
        assertRefused(device("bare"), verbs(new FakeDevice("bare").gids()), "is bare, which has no GID on port 1");
        assertRefused(
                device("mute"), verbs(new FakeDevice("mute").failingQueries()), "is mute, which cannot be queried");
        assertRefused(
                device("broken"),
                new FakeProvider("libibverbs", Set.of("broken"), new FakeDevice("broken")),
                "broken, which cannot be opened");
    }

    @Test
    void aGivenPortIsTakenIfItExistsAndIsActive() {
        var verbs = verbs(new FakeDevice("two").ports(PortState.ACTIVE, PortState.ACTIVE, PortState.DOWN));
        ChosenPort chosen = choose(config(builder -> builder.device("two").port(2)), verbs);
        assertThat(chosen.portNumber()).isEqualTo(2);
        chosen.device().close();
        assertRefused(
                config(builder -> builder.device("two").port(4)),
                verbs,
                "port (RDMA_DEVICE_PORT) is 4; accepted: 1 to 3 on two");
        assertRefused(
                config(builder -> builder.device("two").port(3)),
                verbs,
                "port (RDMA_DEVICE_PORT) is 3",
                "active port",
                "DOWN");
    }

    @Test
    void whatTheDeviceDoesNotTakeIsAnErrorThatNamesItsRange() {
        var verbs = verbs(new FakeDevice("mlx5_0"));
        assertRefused(
                config(builder -> builder.queueDepth(4097)),
                verbs,
                "queueDepth (RDMA_QP_QUEUE_DEPTH) is 4097; accepted: 1 to 4096 on mlx5_0");
        assertRefused(
                config(builder -> builder.pkeyIndex(2)),
                verbs,
                "pkeyIndex (RDMA_QP_PKEY_INDEX) is 2; accepted: 0 to 1 on port 1 of mlx5_0");
        assertRefused(
                config(builder -> builder.mtu(2048)),
                verbs,
                "mtu (RDMA_QP_MTU) is 2048; accepted: 256 to the active MTU of 1024 on port 1 of mlx5_0");
        assertRefused(
                config(builder -> builder.gidIndex(1)),
                verbs,
                "gidIndex (RDMA_GID_INDEX) is 1; accepted: 0 to 0, the last");
        assertRefused(
                config(builder -> builder.rkeyScope(RemoteKeyScope.REQUEST)),
                verbs,
                "rkeyScope (RDMA_RKEY_SCOPE) is request; accepted: slab on mlx5_0, which has no memory windows of type 2");
    }

    @Test
    void whatCannotBeUsedBesideTheTakenDeviceIsSaidOnceAndWhatCouldBeUsedIsNot() {
        var verbs = verbs(
                new FakeDevice("mlx5_0").ports(PortState.DOWN), new FakeDevice("mlx5_1"), new FakeDevice("mlx5_2"));
        try (var log = new LogCapture(DeviceChoice.class)) {
            choose(config(builder -> builder), verbs).device().close();
            assertThat(log.messages(Level.INFO))
                    .containsExactly(
                            "RDMA device: mlx5_1 (libibverbs), port 1, GID 0 ::ffff:10.0.0.1 (RoCE v2), MTU 1024;"
                                    + " it is the first usable device",
                            "not usable: mlx5_0 has no active port (port 1 is DOWN)");
            assertThat(log.messages(Level.WARN)).isEmpty();
            assertThat(log.messages(Level.DEBUG))
                    .contains(
                            "mlx5_2 (libibverbs), PASSED_OVER: it comes after mlx5_1",
                            "soft0 (software), PASSED_OVER: it comes after mlx5_1",
                            "GID 0 ::ffff:10.0.0.1 (RoCE v2), TAKEN: the first RoCE v2 entry with an IPv4 address");
        }
        assertThat(verbs.open()).isEmpty();
    }

    @Test
    void whereHardwareIsRequiredTheSoftwareDeviceIsNotTaken() {
        RdmaConfig config = config(builder -> builder.require(DeviceRequirement.HARDWARE));
        assertThatThrownBy(() -> choose(config, verbs().obstacle("libibverbs.so.1 is not installed")))
                .hasMessage("FAILED_PRECONDITION: there is no usable RDMA device: libibverbs has no device:"
                        + " libibverbs.so.1 is not installed; soft0 is not hardware, and require (RDMA_REQUIRE) is"
                        + " hardware; make one usable ('tensorferry devices' shows all devices), or set"
                        + " RDMA_REQUIRE=any");
        assertThat(software.open()).isEmpty();

        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        choose(config(builder -> builder.device("soft0").require(DeviceRequirement.HARDWARE)), verbs()))
                .withMessage("device (RDMA_DEVICE) is soft0, which is not hardware, and require (RDMA_REQUIRE) is"
                        + " hardware");

        ChosenPort chosen = choose(config, verbs(new FakeDevice("mlx5_0")));
        assertThat(chosen.device().name()).isEqualTo("mlx5_0");
        chosen.device().close();
    }

    @Test
    void aProviderThatCanHaveNoDeviceSaysWhy() {
        var verbs = verbs().obstacle("libibverbs.so.1 is not installed");
        try (var log = new LogCapture(DeviceChoice.class)) {
            choose(config(builder -> builder), verbs).device().close();
            assertThat(log.messages(Level.INFO))
                    .containsExactly("no RDMA device is present: tensors travel over the software device soft0"
                            + " (libibverbs has no device: libibverbs.so.1 is not installed)");
        }
        assertThatThrownBy(() -> DeviceChoice.choose(config(builder -> builder), List.of(verbs)))
                .hasMessage("UNAVAILABLE: there is no usable RDMA device: libibverbs has no device: libibverbs.so.1 is"
                        + " not installed");
        assertRefused(
                device("mlx5_0"),
                verbs,
                "a device that exists: soft0 (software)",
                "libibverbs has no device: libibverbs.so.1 is not installed");
    }

    @Test
    void theLimitsThemselvesAreAccepted() {
        var verbs = verbs(new FakeDevice("mlx5_0"));
        ChosenPort chosen = choose(
                config(builder ->
                        builder.queueDepth(4096).pkeyIndex(1).mtu(1024).gidIndex(0)),
                verbs);
        assertThat(chosen.mtu()).isEqualTo(1024);
        chosen.device().close();
        assertThat(choose(config(builder -> builder.mtu(256)), verbs).mtu()).isEqualTo(256);
    }
}
