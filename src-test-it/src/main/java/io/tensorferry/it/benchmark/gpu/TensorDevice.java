package io.tensorferry.it.benchmark.gpu;

import io.tensorferry.api.Accelerator;
import io.tensorferry.cuda.CudaDevices;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import java.util.Locale;

/// The accelerator of one process of a benchmark: the first GPU of this machine, or a simulated one if there is none.
/// Every report identifies a simulated one: its results depend on this machine's processor and on the rates below, and
/// are not valid for a GPU.
public final class TensorDevice implements AutoCloseable {
    private static final String SIMULATED = "simulated accelerator";
    /// Well below a processor's copy rate, so that the measurement shows this rate, provided that the processor is not
    /// overloaded.
    private static final long BYTES_PER_MICROSECOND = 4_000;
    private static final long LEAST_DELAY_NS = 5_000;
    private static final long MOST_DELAY_NS = 10_000;
    /// The simulated accelerator takes host memory only as tensors need it.
    private static final long CAPACITY = 64L << 30;

    private final Accelerator accelerator;
    private final String label;
    private final Runnable afterwards;

    private TensorDevice(Accelerator accelerator, String label, Runnable afterwards) {
        this.accelerator = accelerator;
        this.label = label;
        this.afterwards = afterwards;
    }

    /// Opens the accelerator. The caller closes it, after everything that uses it.
    ///
    /// @throws io.tensorferry.api.TransportException if there is a GPU that cannot be used
    public static TensorDevice open() {
        return switch (CudaDevices.find()) {
            case CudaDevices.Found found ->
                new TensorDevice(CudaDevices.open(0), found.devices().getFirst().name(), () -> {});
            case CudaDevices.Absent _ -> simulated();
        };
    }

    private static TensorDevice simulated() {
        AcceleratorTime time = AcceleratorTime.real();
        SimulatedAcceleratorOptions options = SimulatedAcceleratorOptions.defaults()
                .withRates(BYTES_PER_MICROSECOND, BYTES_PER_MICROSECOND)
                .withDelays(LEAST_DELAY_NS, MOST_DELAY_NS)
                .withCapacity(CAPACITY);
        var accelerator = new SimulatedAccelerator(0, time, 0, options);
        return new TensorDevice(accelerator, SIMULATED, () -> {
            time.close();
            if (!accelerator.mistakes().isEmpty()) {
                throw new IllegalStateException("misuse of the accelerator: " + accelerator.mistakes());
            }
        });
    }

    /// Describes the device that [#open()] would open, for the head of a report. Opens nothing.
    public static String describe() {
        return switch (CudaDevices.find()) {
            case CudaDevices.Found found -> {
                var first = found.devices().getFirst();
                yield first.name() + ", " + first.pciAddress() + ", at both ends";
            }
            case CudaDevices.Absent absent ->
                String.format(
                        Locale.ROOT,
                        "%s, no GPU: copies of %.1f GB/s each way by this machine's processor, at both ends (%s)",
                        SIMULATED,
                        BYTES_PER_MICROSECOND / 1e3,
                        absent.reason());
        };
    }

    public Accelerator accelerator() {
        return accelerator;
    }

    /// The device's name in the table.
    public String label() {
        return label;
    }

    /// @throws IllegalStateException if any of its resources is still open, or it was misused
    @Override
    public void close() {
        accelerator.close();
        afterwards.run();
    }
}
