package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.contract.accelerator.FakeCudaDriver;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;

/// The rendezvous contract with all tensors on the devices of the fake driver, which are host memory: it says nothing
/// about a GPU.
class CudaOnFakeDriverRendezvousTest extends RendezvousContracts {
    CudaOnFakeDriverRendezvousTest() {
        super(Protocol.VERBS_BETWEEN_CUDA);
    }

    @BeforeAll
    static void loadTheFake() throws IOException, InterruptedException {
        FakeCudaDriver.load();
    }
}
