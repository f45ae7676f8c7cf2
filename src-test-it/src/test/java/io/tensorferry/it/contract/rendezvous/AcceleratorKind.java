package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.NicWrites;
import io.tensorferry.cuda.CudaDevices;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;

/// Which accelerators the workers of a test have.
enum AcceleratorKind {
    SIMULATED,
    /// Simulated ones whose memory the software device reaches by itself.
    EXPORTED,
    /// The same, and what is written there is to be flushed.
    EXPORTED_AFTER_FLUSH,
    /// Each worker's is the first GPU of this machine, or of a fake driver.
    CUDA;

    WorkerAccelerators open() {
        return switch (this) {
            case SIMULATED -> new SimulatedAccelerators(SimulatedAcceleratorOptions.defaults());
            case EXPORTED ->
                new SimulatedAccelerators(SimulatedAcceleratorOptions.defaults().withExport(NicWrites.VISIBLE));
            case EXPORTED_AFTER_FLUSH ->
                new SimulatedAccelerators(SimulatedAcceleratorOptions.defaults().withExport(NicWrites.AFTER_FLUSH));
            case CUDA -> new OfCuda();
        };
    }

    private static final class OfCuda extends WorkerAccelerators {
        @Override
        Accelerator open(int number) {
            return CudaDevices.open(0);
        }

        /// Closing one fails where something of it is open.
        @Override
        void close(Accelerator each) {
            each.close();
        }
    }
}
