package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RelaxedOrdering;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.ibverbs.IbverbsProvider;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class VerbsProvidersTest {
    private static VerbsProvider last(String address) {
        return VerbsProviders.forHost(InetAddress.ofLiteral(address)).getLast();
    }

    @ParameterizedTest
    @EnumSource
    void memoryOfLibibverbsDevicesIsRegisteredAsTheConfigurationSays(RelaxedOrdering ordering) {
        var config = RdmaConfig.builder().relaxedOrdering(ordering).build();
        List<VerbsProvider> providers = VerbsProviders.forHost(InetAddress.getLoopbackAddress(), config);
        assertThat(providers.getFirst())
                .isInstanceOfSatisfying(
                        IbverbsProvider.class,
                        ibverbs ->
                                assertThat(ibverbs.options().relaxedOrdering()).isEqualTo(ordering));
    }

    @Test
    void theSoftwareDeviceIsTheLastAndListensAtTheGivenAddress() {
        VerbsProvider software = last("127.0.0.2");
        assertThat(software.name()).isEqualTo("software");
        assertThat(software.obstacle()).isNull();
        try (VerbsDevice device = software.open("soft0")) {
            assertThat(device.gid(1, 0).gid()).isEqualTo(Gid.ofIpv4(0x7F000002));
        }
    }

    @Test
    void onTheIpv6LoopbackTheSoftwareDeviceListensOnThatOfIpv4() {
        try (VerbsDevice device = last("::1").open("soft0")) {
            assertThat(device.gid(1, 0).gid()).isEqualTo(Gid.ofIpv4(0x7F000001));
        }
    }

    @Test
    void atAnotherIpv6AddressThereIsNoSoftwareDeviceAndTheReasonIsSaid() {
        VerbsProvider software = last("2001:db8::1");
        assertThat(software.name()).isEqualTo("software");
        assertThat(software.deviceNames()).isEmpty();
        assertThat(software.obstacle()).contains("needs an IPv4 address", "2001:db8:0:0:0:0:0:1", "'grpc'");
        assertThatThrownBy(() -> software.open("soft0")).isInstanceOf(VerbsException.class);
    }
}
