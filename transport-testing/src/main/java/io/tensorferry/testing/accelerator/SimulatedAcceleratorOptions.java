package io.tensorferry.testing.accelerator;

import io.tensorferry.api.NicWrites;

/// Properties of a simulated accelerator. Immutable.
///
/// @param toHostPerMicrosecond bytes per microsecond shared by all copies to the host
/// @param fromHostPerMicrosecond bytes per microsecond shared by all copies from the host and within the device
/// @param leastDelayNs the minimum latency of a copy in addition to its transfer time
/// @param mostDelayNs the maximum latency of a copy in addition to its transfer time
/// @param capacity the size of the memory in bytes
/// @param nicWrites the reported visibility of NIC writes
/// @param exportable whether memory can be exported to the software devices; all of it then lies in memory files
public record SimulatedAcceleratorOptions(
        long toHostPerMicrosecond,
        long fromHostPerMicrosecond,
        long leastDelayNs,
        long mostDelayNs,
        long capacity,
        NicWrites nicWrites,
        boolean exportable) {
    /// @throws IllegalArgumentException if a value is out of its range
    public SimulatedAcceleratorOptions {
        if (toHostPerMicrosecond < 1 || fromHostPerMicrosecond < 1 || capacity < 0) {
            throw new IllegalArgumentException("rates must be 1 or more, the capacity 0 or more");
        }
        if (leastDelayNs < 0 || mostDelayNs < leastDelayNs) {
            throw new IllegalArgumentException("delays must be 0 or more, the longest not less than the shortest");
        }
    }

    /// 10 and 12 GB/s, 1 to 20 us, 1 GiB.
    public static SimulatedAcceleratorOptions defaults() {
        return new SimulatedAcceleratorOptions(10_000, 12_000, 1_000, 20_000, 1L << 30, NicWrites.VISIBLE, false);
    }

    public SimulatedAcceleratorOptions withRates(long toHost, long fromHost) {
        return new SimulatedAcceleratorOptions(
                toHost, fromHost, leastDelayNs, mostDelayNs, capacity, nicWrites, exportable);
    }

    public SimulatedAcceleratorOptions withDelays(long leastNs, long mostNs) {
        return new SimulatedAcceleratorOptions(
                toHostPerMicrosecond, fromHostPerMicrosecond, leastNs, mostNs, capacity, nicWrites, exportable);
    }

    public SimulatedAcceleratorOptions withCapacity(long bytes) {
        return new SimulatedAcceleratorOptions(
                toHostPerMicrosecond, fromHostPerMicrosecond, leastDelayNs, mostDelayNs, bytes, nicWrites, exportable);
    }

    /// Makes the memory exportable.
    ///
    /// @param writes the reported visibility of NIC writes
    public SimulatedAcceleratorOptions withExport(NicWrites writes) {
        return new SimulatedAcceleratorOptions(
                toHostPerMicrosecond, fromHostPerMicrosecond, leastDelayNs, mostDelayNs, capacity, writes, true);
    }
}
