package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.contract.accelerator.FakeCudaDriver;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/// The tests of [CudaTransfersIT] on the devices of the fake driver, which are host memory: that these tests run, and
/// would fail. They are smaller, but one tensor is still larger than all proxies of one way. It says nothing about a
/// GPU.
class CudaTransfersOnFakeDriverTest {
    @BeforeAll
    static void loadTheFake() throws IOException, InterruptedException {
        FakeCudaDriver.load();
    }

    @Nested
    class Size extends PieceSizeContract {
        Size() {
            super(Protocol.VERBS_BETWEEN_CUDA, 5_000_001, (130L << 20) + 1);
        }
    }

    @Nested
    class Stream extends StreamContract {
        Stream() {
            super(Protocol.VERBS_BETWEEN_CUDA, 4L << 20, 200);
        }
    }

    @Nested
    class Endurance extends EnduranceContract {
        Endurance() {
            super(Protocol.VERBS_BETWEEN_CUDA, 200);
        }
    }
}
