package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.grpc.security.PlaintextRule;
import io.tensorferry.grpc.security.TransportSecurity;
import io.tensorferry.verbs.config.DeviceRequirement;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A server that requires hardware but would get the software device fails, so that no log is needed to notice.
@Timeout(30)
class RequiredHardwareTest {
    private static TransportServerBuilder builder(TestCluster cluster) {
        return cluster.builder(0).protocol(ServerConfig.GRPC_VERBS).verbsProviders(List.of(new SoftwareProvider()));
    }

    @Test
    void aServerThatWouldTakeTheSoftwareDeviceDoesNotStart() {
        try (var cluster = new TestCluster(1)) {
            for (TransportServerBuilder builder : List.of(
                    builder(cluster).require(DeviceRequirement.HARDWARE),
                    builder(cluster).rdmaConfig(RdmaConfig.from(Map.of("RDMA_REQUIRE", "hardware"))))) {
                assertThatExceptionOfType(TransportException.class)
                        .isThrownBy(builder::start)
                        .withMessageContaining("soft0 is not hardware, and require (RDMA_REQUIRE) is hardware")
                        .withMessageContaining("RDMA_REQUIRE=any")
                        .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION));
            }
        }
    }

    @Test
    void aServerWithoutADeviceCannotRequireHardware() {
        try (var cluster = new TestCluster(1)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(builder(cluster).protocol(ServerConfig.GRPC).require(DeviceRequirement.HARDWARE)::start)
                    .withMessageContaining("needs the protocol 'grpc+verbs'");
        }
    }

    @Test
    void theBuilderHasTheLastWord() {
        try (var cluster = new TestCluster(1)) {
            TransportServer server = cluster.add(builder(cluster)
                    .rdmaConfig(RdmaConfig.from(Map.of("RDMA_REQUIRE", "hardware")))
                    .require(DeviceRequirement.ANY)
                    .start());
            assertThat(server.transportDevice()).isEqualTo("soft0");
        }
    }

    /// The server reads these variables; the device's settings know them, so that they are not reported as unknown.
    @Test
    void theVariablesOfTheServerAreNotCalledUnknown() {
        try (LogLines log = LogLines.of(RdmaConfig.class)) {
            RdmaConfig.warnOfUnknown(Map.of(
                    TransportSecurity.CERTIFICATE, "",
                    TransportSecurity.KEY, "",
                    TransportSecurity.TRUST, "",
                    PlaintextRule.ALLOW_INSECURE, ""));
            assertThat(log.warnings()).isEmpty();
        }
    }
}
