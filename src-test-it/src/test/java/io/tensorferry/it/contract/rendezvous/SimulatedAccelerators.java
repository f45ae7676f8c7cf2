package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Accelerator;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;

/// In real time.
final class SimulatedAccelerators extends WorkerAccelerators {
    private final AcceleratorTime time = AcceleratorTime.real();
    private final SimulatedAcceleratorOptions options;

    SimulatedAccelerators(SimulatedAcceleratorOptions options) {
        this.options = options;
    }

    @Override
    Accelerator open(int number) {
        return new SimulatedAccelerator(0, time, number, options);
    }

    /// Nothing was used that was not there, and nothing is left.
    @Override
    void close(Accelerator each) {
        var simulated = (SimulatedAccelerator) each;
        assertThat(simulated.mistakes()).as("mistakes at %s", each).isEmpty();
        assertThat(simulated.leftOver()).as("left over on %s", each).isEmpty();
        simulated.close();
    }

    @Override
    public void close() {
        super.close();
        time.close();
    }
}
