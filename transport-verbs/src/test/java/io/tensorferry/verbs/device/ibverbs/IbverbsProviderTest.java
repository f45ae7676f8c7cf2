package io.tensorferry.verbs.device.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import org.junit.jupiter.api.Test;

/// Behaviour that is the same on every machine, with RDMA devices, without them, and without the library.
class IbverbsProviderTest {
    private final IbverbsProvider provider = new IbverbsProvider();

    @Test
    void whereNothingIsInTheWayEveryDeviceCanBeOpened() {
        if (provider.obstacle() != null) {
            assertThat(provider.deviceNames()).isEmpty();
        } else {
            for (String name : provider.deviceNames()) {
                try (VerbsDevice device = provider.open(name)) {
                    assertThat(device.name()).isEqualTo(name);
                }
            }
        }
    }

    @Test
    void aDeviceThatDoesNotExistIsNamedInTheError() {
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> provider.open("mlx5_99"))
                .withMessageContaining("mlx5_99")
                .satisfies(failure -> assertThat(failure.errno()).isEqualTo(VerbsException.ENODEV));
    }
}
