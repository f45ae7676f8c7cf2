package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.contract.accelerator.FakeCudaDriver;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/// What of the rendezvous contract calls the driver in ways of its own, with all tensors on the devices of the fake
/// one,
/// which are host memory: it says nothing about a GPU.
@Tag("variant")
class CudaOnFakeDriverRendezvousTest {
    @BeforeAll
    static void loadTheFake() throws IOException, InterruptedException {
        FakeCudaDriver.load();
    }

    @Nested
    class Content extends ContentContract {
        Content() {
            super(Protocol.VERBS_BETWEEN_CUDA);
        }
    }

    @Nested
    class Size extends SizeContract {
        Size() {
            super(Protocol.VERBS_BETWEEN_CUDA);
        }
    }

    @Nested
    class MetaData extends MetaDataContract {
        MetaData() {
            super(Protocol.VERBS_BETWEEN_CUDA);
        }
    }

    @Nested
    class Ending extends EndingContract {
        Ending() {
            super(Protocol.VERBS_BETWEEN_CUDA);
        }
    }

    @Nested
    class Ownership extends OwnershipContract {
        Ownership() {
            super(Protocol.VERBS_BETWEEN_CUDA);
        }
    }
}
