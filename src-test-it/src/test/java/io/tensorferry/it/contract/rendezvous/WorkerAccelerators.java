package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Accelerator;
import io.tensorferry.verbs.accelerator.AcceleratorOptions;
import io.tensorferry.verbs.device.software.simulated.AcceleratorTime;
import io.tensorferry.verbs.device.software.simulated.SimulatedAccelerator;
import io.tensorferry.verbs.device.software.simulated.SimulatedAcceleratorOptions;
import io.tensorferry.verbs.memory.MemoryOptions;
import java.util.ArrayList;
import java.util.List;

/// One simulated accelerator for each worker of a test, `GPU:0` there.
final class WorkerAccelerators implements AutoCloseable {
    /// Several pieces are not much, and slabs are made as fast as those of the host.
    static final AcceleratorOptions OPTIONS = AcceleratorOptions.defaults()
            .withPieces(256 << 10, 4)
            .withDeviceMemory(new MemoryOptions(8 << 20, Long.MAX_VALUE));

    private final AcceleratorTime time = AcceleratorTime.real();
    private final List<SimulatedAccelerator> all = new ArrayList<>();

    Accelerator open() {
        var opened = new SimulatedAccelerator(0, time, all.size(), SimulatedAcceleratorOptions.defaults());
        all.add(opened);
        return opened;
    }

    /// When the workers are closed: nothing was used that was not there, and nothing is left.
    void check() {
        for (SimulatedAccelerator each : all) {
            assertThat(each.mistakes()).as("mistakes at %s", each).isEmpty();
            assertThat(each.leftOver()).as("left over on %s", each).isEmpty();
        }
    }

    @Override
    public void close() {
        all.forEach(SimulatedAccelerator::close);
        time.close();
    }
}
