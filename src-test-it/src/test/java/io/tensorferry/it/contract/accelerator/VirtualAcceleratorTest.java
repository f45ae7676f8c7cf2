package io.tensorferry.it.contract.accelerator;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import org.junit.jupiter.api.AfterEach;

/// The simulated accelerator, in virtual time.
class VirtualAcceleratorTest extends AcceleratorContract {
    private final SimulatedFabric fabric = new SimulatedFabric(1, SimulatedFabricOptions.defaults());
    private final SimulatedAccelerator accelerator =
            new SimulatedAccelerator(1, AcceleratorTime.of(fabric), 7, SimulatedAcceleratorOptions.defaults());

    @Override
    Accelerator accelerator() {
        return accelerator;
    }

    @Override
    void await(DeviceEvent event) {
        while (!event.isReached()) {
            assertThat(fabric.runNext()).as("something happens").isTrue();
        }
    }

    @Override
    @AfterEach
    void closeAll() throws Exception {
        super.closeAll();
        assertThat(accelerator.leftOver()).isEmpty();
        assertThat(accelerator.mistakes()).isEmpty();
        accelerator.close();
    }
}
