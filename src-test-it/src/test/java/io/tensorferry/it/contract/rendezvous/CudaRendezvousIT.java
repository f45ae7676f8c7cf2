package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/// The rendezvous contract over the software device with tensors on a GPU; skipped where there is none, or where this
/// process has the fake driver.
@DeviceTests(kind = "rendezvous", on = On.CUDA)
class CudaRendezvousIT {
    @BeforeAll
    static void findAGpu() {
        GpuOfMachine.require();
    }

    @Nested
    class Source extends AcceleratorContracts {
        Source() {
            super(Protocol.VERBS_FROM_CUDA);
        }
    }

    @Nested
    class Destination extends AcceleratorContracts {
        Destination() {
            super(Protocol.VERBS_TO_CUDA);
        }
    }

    @Nested
    class Both extends AcceleratorContracts {
        Both() {
            super(Protocol.VERBS_BETWEEN_CUDA);
        }
    }
}
