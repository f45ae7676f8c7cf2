package io.tensorferry.it.contract.rendezvous;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.cuda.CudaDevices;

/// A real GPU, which some tests need.
final class GpuOfMachine {
    private GpuOfMachine() {}

    /// Skips the test, with the driver's reason, where there is none, or where this process has the fake driver.
    static void require() {
        switch (CudaDevices.find()) {
            case CudaDevices.Absent absent -> assumeTrue(false, absent.reason());
            case CudaDevices.Found found ->
                assumeTrue(
                        !found.devices().getFirst().name().startsWith("Fake"),
                        "this process has loaded the fake driver");
        }
    }
}
