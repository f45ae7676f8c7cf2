package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/// What is beyond the rendezvous contract, with tensors on a GPU at both ends, over the software device: large and many
/// tensors, and streams of the application's own. Skipped where there is no GPU.
@DeviceTests(kind = "rendezvous", on = On.CUDA)
class CudaTransfersIT {
    @BeforeAll
    static void findAGpu() {
        GpuOfMachine.require();
    }

    @Nested
    class Size extends PieceSizeContract {
        Size() {
            super(Protocol.VERBS_BETWEEN_CUDA, 64L << 20, (4L << 30) + 1);
        }
    }

    @Nested
    class Stream extends StreamContract {
        Stream() {
            super(Protocol.VERBS_BETWEEN_CUDA, 64L << 20, 200);
        }
    }

    @Nested
    class Endurance extends EnduranceContract {
        Endurance() {
            super(Protocol.VERBS_BETWEEN_CUDA, 10_000);
        }
    }
}
