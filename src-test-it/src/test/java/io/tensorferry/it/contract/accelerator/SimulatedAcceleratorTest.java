package io.tensorferry.it.contract.accelerator;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Accelerator;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import org.junit.jupiter.api.AfterEach;

/// The simulated accelerator, in real time.
class SimulatedAcceleratorTest extends AcceleratorContract {
    private final AcceleratorTime time = AcceleratorTime.real();
    private final SimulatedAccelerator accelerator =
            new SimulatedAccelerator(0, time, 7, SimulatedAcceleratorOptions.defaults());

    @Override
    Accelerator accelerator() {
        return accelerator;
    }

    @Override
    @AfterEach
    void closeAll() throws Exception {
        super.closeAll();
        assertThat(accelerator.leftOver()).isEmpty();
        assertThat(accelerator.mistakes()).isEmpty();
        accelerator.close();
        time.close();
    }
}
