package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A cluster that gives this worker an address that is not one of this machine.
@Timeout(30)
class ForeignAddressTest {
    /// An address of the block for documentation: no machine has it.
    private static final String FOREIGN = "192.0.2.7";

    private static TransportServerBuilder worker(String protocol) {
        return TransportServer.builder()
                .cluster(ClusterSpec.of(Map.of("ps", List.of(FOREIGN + ":7000"))))
                .job("ps")
                .task(0)
                .allowInsecure(true)
                .protocol(protocol);
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerConfig.GRPC, ServerConfig.GRPC_VERBS})
    void isAFailedPreconditionThatNamesTheRemedy(String protocol) {
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(worker(protocol)::start)
                .withMessageContaining("cannot listen on " + FOREIGN + ":7000")
                .withMessageContaining("the cluster must give it an address of this machine")
                .withMessageContaining("bindAddress(...)")
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION));
    }

    @Test
    void isAFailedPreconditionOfTheSoftwareDeviceWhereTheServerListensOnAll() throws Exception {
        TransportServerBuilder builder = worker(ServerConfig.GRPC_VERBS)
                .bindAddress(InetAddress.getByName("0.0.0.0"))
                .verbsProviders(List.of(
                        VerbsProviders.forHost(InetAddress.getByName(FOREIGN)).getLast()));

        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(builder::start)
                .withMessageContaining("cannot listen on " + FOREIGN)
                .withMessageContaining("EADDRNOTAVAIL")
                .withMessageContaining("the worker's address must be an address of this machine")
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION));
    }
}
