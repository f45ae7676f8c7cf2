package io.tensorferry.it.contract.accelerator;

import io.tensorferry.api.Accelerator;
import io.tensorferry.cuda.CudaAccelerator;
import io.tensorferry.cuda.CudaDevices;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/// The CUDA classes over the fake driver of transport-cuda, whose devices are host memory: it says nothing about a GPU.
class CudaContractOnFakeDriverTest extends AcceleratorContract {
    private CudaAccelerator accelerator;

    @BeforeAll
    static void loadTheFake() throws IOException, InterruptedException {
        FakeCudaDriver.load();
    }

    @BeforeEach
    void open() {
        accelerator = CudaDevices.open(0);
    }

    @Override
    Accelerator accelerator() {
        return accelerator;
    }

    /// Closing the accelerator fails where something of it is open.
    @Override
    @AfterEach
    void closeAll() throws Exception {
        super.closeAll();
        accelerator.close();
    }
}
