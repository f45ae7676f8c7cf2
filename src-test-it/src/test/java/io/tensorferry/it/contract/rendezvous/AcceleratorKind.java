package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.api.Accelerator;
import io.tensorferry.cuda.CudaDevices;

/// Which accelerators the workers of a test have.
enum AcceleratorKind {
    SIMULATED,
    /// Each worker's is the first GPU of this machine, or of a fake driver.
    CUDA;

    WorkerAccelerators open() {
        return switch (this) {
            case SIMULATED -> new SimulatedAccelerators();
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
