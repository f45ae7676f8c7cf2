package io.tensorferry.verbs.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.Level;
import io.tensorferry.verbs.device.LogCapture;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class RdmaConfigTest {
    private static final RdmaConfig DEFAULTS = new RdmaConfig(
            null,
            DeviceRequirement.ANY,
            null,
            null,
            0,
            1024,
            14,
            7,
            0,
            null,
            0,
            null,
            RemoteKeyScope.SLAB,
            Fallback.NONE,
            HugePages.AUTO,
            NumaPlacement.ANYWHERE,
            SoftCarrier.AUTO,
            GpuDirect.AUTO,
            RelaxedOrdering.AUTO);

    /// A device is also set, because a port needs one.
    private static RdmaConfig from(String variable, String value) {
        Map<String, String> variables = new HashMap<>(Map.of("RDMA_DEVICE", "mlx5_0"));
        variables.put(variable, value);
        return RdmaConfig.from(variables);
    }

    @Test
    void withoutVariablesEverythingHasItsDefault() {
        assertThat(RdmaConfig.from(Map.of("PATH", "/bin"))).isEqualTo(DEFAULTS);
        assertThat(RdmaConfig.builder().build()).isEqualTo(DEFAULTS);
    }

    @Test
    void readsTheDocumentedNames() {
        var config = RdmaConfig.from(Map.ofEntries(
                Map.entry("RDMA_DEVICE", "mlx5_1"),
                Map.entry("RDMA_REQUIRE", "hardware"),
                Map.entry("RDMA_DEVICE_PORT", "2"),
                Map.entry("RDMA_GID_INDEX", "3"),
                Map.entry("RDMA_QP_PKEY_INDEX", "4"),
                Map.entry("RDMA_QP_QUEUE_DEPTH", "512"),
                Map.entry("RDMA_QP_TIMEOUT", "31"),
                Map.entry("RDMA_QP_RETRY_COUNT", "5"),
                Map.entry("RDMA_QP_SL", "6"),
                Map.entry("RDMA_QP_MTU", "4096"),
                Map.entry("RDMA_TRAFFIC_CLASS", "255"),
                Map.entry("RDMA_PORT_GRACE_MS", "500"),
                Map.entry("RDMA_RKEY_SCOPE", "Request"),
                Map.entry("RDMA_FALLBACK", "grpc"),
                Map.entry("RDMA_HUGE_PAGES", "transparent"),
                Map.entry("RDMA_NUMA_NODE", "1"),
                Map.entry("RDMA_SOFT_CARRIER", "shared"),
                Map.entry("RDMA_GPU_DIRECT", "on"),
                Map.entry("RDMA_RELAXED_ORDERING", "off")));
        assertThat(config)
                .isEqualTo(new RdmaConfig(
                        "mlx5_1",
                        DeviceRequirement.HARDWARE,
                        2,
                        3,
                        4,
                        512,
                        31,
                        5,
                        6,
                        4096,
                        255,
                        500,
                        RemoteKeyScope.REQUEST,
                        Fallback.GRPC,
                        HugePages.TRANSPARENT,
                        new NumaPlacement.Node(1),
                        SoftCarrier.SHARED,
                        GpuDirect.ON,
                        RelaxedOrdering.OFF));
        assertThat(RdmaConfig.builder()
                        .device("mlx5_1")
                        .require(DeviceRequirement.HARDWARE)
                        .port(2)
                        .gidIndex(3)
                        .pkeyIndex(4)
                        .queueDepth(512)
                        .timeout(31)
                        .retryCount(5)
                        .serviceLevel(6)
                        .mtu(4096)
                        .trafficClass(255)
                        .portGraceMillis(500)
                        .rkeyScope(RemoteKeyScope.REQUEST)
                        .fallback(Fallback.GRPC)
                        .hugePages(HugePages.TRANSPARENT)
                        .numaNode(new NumaPlacement.Node(1))
                        .softCarrier(SoftCarrier.SHARED)
                        .gpuDirect(GpuDirect.ON)
                        .relaxedOrdering(RelaxedOrdering.OFF)
                        .build())
                .isEqualTo(config);
    }

    @Test
    void channelsOutliveTheirPortForAsLongAsAConnectionMayTryByDefault() {
        assertThat(DEFAULTS.portGrace()).contains(Duration.ofNanos(4 * (4096L << 14) * 8));
        assertThat(RdmaConfig.builder().timeout(10).retryCount(0).build().portGrace())
                .contains(Duration.ofNanos(4 * (4096L << 10)));
        assertThat(RdmaConfig.builder().timeout(31).build().portGrace()).isPresent();
        assertThat(RdmaConfig.builder().timeout(0).build().portGrace())
                .as("an infinite timeout")
                .isEmpty();
        assertThat(RdmaConfig.builder().timeout(0).portGraceMillis(0).build().portGrace())
                .contains(Duration.ZERO);
    }

    @Test
    void theOtherSpellingsAreReadWithOneWarning() {
        try (var log = new LogCapture(RdmaVariables.class)) {
            var config = RdmaConfig.from(Map.of(
                    "RDMA_PKEY", "1",
                    "RDMA_QUEUE_DEPTH", "64",
                    "RDMA_TIMEOUT", "10",
                    "RDMA_RETRY_CNT", "3",
                    "RDMA_SL", "2",
                    "RDMA_MTU", "512"));
            assertThat(config)
                    .isEqualTo(new RdmaConfig(
                            null,
                            DeviceRequirement.ANY,
                            null,
                            null,
                            1,
                            64,
                            10,
                            3,
                            2,
                            512,
                            0,
                            null,
                            RemoteKeyScope.SLAB,
                            Fallback.NONE,
                            HugePages.AUTO,
                            NumaPlacement.ANYWHERE,
                            SoftCarrier.AUTO,
                            GpuDirect.AUTO,
                            RelaxedOrdering.AUTO));
            assertThat(log.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains(
                            "RDMA_PKEY is read as RDMA_QP_PKEY_INDEX", "RDMA_RETRY_CNT is read as RDMA_QP_RETRY_COUNT");
        }
    }

    @Test
    void theDocumentedNameWinsOverTheOtherSpelling() {
        try (var log = new LogCapture(RdmaVariables.class)) {
            var config = RdmaConfig.from(Map.of("RDMA_QP_TIMEOUT", "20", "RDMA_TIMEOUT", "nonsense"));
            assertThat(config.timeout()).isEqualTo(20);
            assertThat(log.messages(Level.WARN))
                    .containsExactly(
                            "environment variables whose names differ from the documented ones: RDMA_TIMEOUT is"
                                    + " ignored, because RDMA_QP_TIMEOUT is set");
        }
    }

    @Test
    void theDocumentedNamesGiveNoWarning() {
        try (var log = new LogCapture(RdmaVariables.class)) {
            from("RDMA_QP_SL", "1");
            assertThat(log.messages(Level.WARN)).isEmpty();
        }
    }

    @Test
    void emptyCountsAsUnsetAndSpacesAroundAValueDoNotCount() {
        Map<String, String> variables = new HashMap<>();
        for (RdmaSetting setting : RdmaSetting.values()) {
            variables.put(setting.variable(), setting == RdmaSetting.MTU ? "  " : "");
            String alias = setting.alias();
            if (alias != null) {
                variables.put(alias, "");
            }
        }
        assertThat(RdmaConfig.from(variables)).isEqualTo(DEFAULTS);
        variables.put("RDMA_TIMEOUT", " 9 ");
        variables.put("RDMA_DEVICE", " soft0 ");
        assertThat(RdmaConfig.from(variables).timeout()).isEqualTo(9);
        assertThat(RdmaConfig.from(variables).device()).isEqualTo("soft0");
    }

    @ParameterizedTest
    @CsvSource({
        "RDMA_DEVICE_PORT, 0, 1 to",
        "RDMA_DEVICE_PORT, -1, 1 to",
        "RDMA_GID_INDEX, -1, 0 to",
        "RDMA_QP_PKEY_INDEX, -1, 0 to",
        "RDMA_PKEY, -1, 0 to",
        "RDMA_QP_QUEUE_DEPTH, 0, 1 to",
        "RDMA_QUEUE_DEPTH, 0, 1 to",
        "RDMA_QP_TIMEOUT, 32, 0 to 31",
        "RDMA_QP_TIMEOUT, -1, 0 to 31",
        "RDMA_TIMEOUT, 32, 0 to 31",
        "RDMA_QP_RETRY_COUNT, 8, 0 to 7",
        "RDMA_RETRY_CNT, -1, 0 to 7",
        "RDMA_QP_SL, 8, 0 to 7",
        "RDMA_RKEY_SCOPE, window, slab or request",
        "RDMA_FALLBACK, tcp, 'none, grpc'",
        "RDMA_FALLBACK, GRPC, 'none, grpc'",
        "RDMA_HUGE_PAGES, 2M, 'none, transparent, reserved'",
        "RDMA_NUMA_NODE, -1, 'none, device, or the number of a node'",
        "RDMA_NUMA_NODE, 1024, 'none, device, or the number of a node'",
        "RDMA_SOFT_CARRIER, memory, 'auto, shared, tcp'",
        "RDMA_GPU_DIRECT, yes, 'auto, on, off'",
        "RDMA_GPU_DIRECT, ON, 'auto, on, off'",
        "RDMA_RELAXED_ORDERING, 1, 'auto, on, off'",
        "RDMA_SL, 8, 0 to 7",
        "RDMA_QP_MTU, 1500, '256, 512, 1024, 2048 or 4096'",
        "RDMA_QP_MTU, 0, '256, 512, 1024, 2048 or 4096'",
        "RDMA_MTU, 8192, '256, 512, 1024, 2048 or 4096'",
        "RDMA_TRAFFIC_CLASS, 256, 0 to 255",
        "RDMA_TRAFFIC_CLASS, -1, 0 to 255",
        "RDMA_QP_TIMEOUT, 14.5, 0 to 31",
        "RDMA_QP_TIMEOUT, fourteen, 0 to 31",
        "RDMA_QP_TIMEOUT, 99999999999, 0 to 31",
        "RDMA_QP_TIMEOUT, 0x0e, 0 to 31",
    })
    void aBadValueIsAnErrorThatNamesTheVariableTheValueAndTheRange(String variable, String value, String range) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> from(variable, value))
                .withMessageStartingWith(variable + " is '" + value + "'; accepted: ")
                .withMessageContaining(range);
    }

    @Test
    void aPortWithoutADeviceIsAnError() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RdmaConfig.from(Map.of("RDMA_DEVICE_PORT", "1", "RDMA_DEVICE", "")))
                .withMessage("port (RDMA_DEVICE_PORT) is 1; accepted: a port only together with device (RDMA_DEVICE)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RdmaConfig.builder().port(1).build());
    }

    @Test
    void theBuilderNamesTheFieldThatIsWrong() {
        Map<String, Function<RdmaConfig.Builder, RdmaConfig.Builder>> bad = Map.of(
                "device", builder -> builder.device(" "),
                "port", builder -> builder.device("mlx5_0").port(0),
                "gidIndex", builder -> builder.gidIndex(-1),
                "pkeyIndex", builder -> builder.pkeyIndex(-1),
                "queueDepth", builder -> builder.queueDepth(0),
                "timeout", builder -> builder.timeout(32),
                "retryCount", builder -> builder.retryCount(8),
                "serviceLevel", builder -> builder.serviceLevel(-1),
                "mtu", builder -> builder.mtu(1000),
                "trafficClass", builder -> builder.trafficClass(256));
        bad.forEach((field, change) -> assertThatIllegalArgumentException()
                .isThrownBy(() -> change.apply(RdmaConfig.builder()).build())
                .withMessageStartingWith(field + " (RDMA_")
                .withMessageContaining("; accepted: "));
    }

    @Test
    void everyMtuOfTheVerbsIsAccepted() {
        for (int mtu : List.of(256, 512, 1024, 2048, 4096)) {
            assertThat(from("RDMA_QP_MTU", Integer.toString(mtu)).mtu()).isEqualTo(mtu);
        }
    }

    @Test
    void aVariableThatNobodyReadsIsWarnedAboutOnceWithTheNearestName() {
        try (var log = new LogCapture(RdmaConfig.class)) {
            var variables = Map.of("RDMA_QP_TIMOUT", "14", "RDMA_DEVICE", "mlx5_0", "HOME", "/root");
            RdmaConfig.from(variables);
            RdmaConfig.from(variables);
            RdmaConfig.warnOfUnknown(variables);
            assertThat(log.messages(Level.WARN))
                    .containsExactly("the environment variable RDMA_QP_TIMOUT is unknown and has no effect; did you"
                            + " mean RDMA_QP_TIMEOUT?");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RDMA_DEVICES, RDMA_DEVICE",
        "RDMA_DEV, RDMA_DEVICE",
        "RDMA_GIDINDEX, RDMA_GID_INDEX",
        "RDMA_GID, RDMA_GID_INDEX",
        "RDMA_RETRY_COUNT, RDMA_QP_RETRY_COUNT",
        "RDMA_RETRY_CNTS, RDMA_QP_RETRY_COUNT",
        "RDMA_HUGEPAGES, RDMA_HUGE_PAGES",
        "RDMA_ALLOW_UNSECURE, RDMA_ALLOW_INSECURE",
        "RDMA_TLS_CERT, RDMA_TLS_CERTIFICATE",
        "RDMA_REQUIRED, RDMA_REQUIRE",
        "RDMA_rkey_scope, ",
        "RDMA_BLUE_GREEN_DEPLOYMENT, "
    })
    void theNearestNameIsTheDocumentedOne(String unknown, String nearest) {
        assertThat(UnknownVariables.nearest(unknown)).isEqualTo(nearest);
    }
}
