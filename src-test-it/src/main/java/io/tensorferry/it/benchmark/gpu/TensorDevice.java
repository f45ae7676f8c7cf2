package io.tensorferry.it.benchmark.gpu;

import io.tensorferry.api.Accelerator;
import io.tensorferry.cuda.CudaDevices;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import java.util.Locale;

/// The accelerator of one process of a benchmark: the first GPU of this machine, or where there is none a simulated
/// one, which every report names as such: its figures are those of this machine's processor and of the rates below,
/// and say nothing of a GPU.
public final class TensorDevice implements AutoCloseable {
    private static final String SIMULATED = "simulated accelerator";
    /// Well below what a processor copies, so that it is these that are measured, where the processor has the time.
    private static final long BYTES_PER_MICROSECOND = 4_000;
    private static final long LEAST_DELAY_NS = 5_000;
    private static final long MOST_DELAY_NS = 10_000;
    /// The host's memory is taken as tensors need it.
    private static final long CAPACITY = 64L << 30;

    private final Accelerator accelerator;
    private final String label;
    private final Runnable afterwards;

    private TensorDevice(Accelerator accelerator, String label, Runnable afterwards) {
        this.accelerator = accelerator;
        this.label = label;
        this.afterwards = afterwards;
    }

    /// The caller closes it, after all that uses it.
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
                throw new IllegalStateException("used as no accelerator may be: " + accelerator.mistakes());
            }
        });
    }

    /// What [#open()] opens on this machine, for the head of a report. Opens nothing.
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

    /// As the table names it.
    public String label() {
        return label;
    }

    /// @throws IllegalStateException if something of it is still open, or it was used in a way that no device allows
    @Override
    public void close() {
        accelerator.close();
        afterwards.run();
    }
}
