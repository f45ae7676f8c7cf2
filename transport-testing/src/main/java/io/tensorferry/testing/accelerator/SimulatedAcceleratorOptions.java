package io.tensorferry.testing.accelerator;

import io.tensorferry.api.NicWrites;

/// What a simulated accelerator is like. Immutable.
///
/// @param toHostPerMicrosecond bytes that all copies to the host together move in a microsecond
/// @param fromHostPerMicrosecond the same of copies from the host, and of those within the device
/// @param leastDelayNs the shortest time that a copy takes beside that
/// @param mostDelayNs the longest
/// @param capacity bytes that it has
/// @param nicWrites what it says of writes of a NIC
/// @param exportable whether its memory can be exported, to the software devices; then all of it lies in memory files
public record SimulatedAcceleratorOptions(
        long toHostPerMicrosecond,
        long fromHostPerMicrosecond,
        long leastDelayNs,
        long mostDelayNs,
        long capacity,
        NicWrites nicWrites,
        boolean exportable) {
    /// @throws IllegalArgumentException if a value makes no sense
    public SimulatedAcceleratorOptions {
        if (toHostPerMicrosecond < 1 || fromHostPerMicrosecond < 1 || capacity < 0) {
            throw new IllegalArgumentException("rates are 1 or more, the capacity 0 or more");
        }
        if (leastDelayNs < 0 || mostDelayNs < leastDelayNs) {
            throw new IllegalArgumentException("delays are 0 or more, the longest not less than the shortest");
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

    /// Whose memory can be exported.
    ///
    /// @param writes what it says of writes of a NIC
    public SimulatedAcceleratorOptions withExport(NicWrites writes) {
        return new SimulatedAcceleratorOptions(
                toHostPerMicrosecond, fromHostPerMicrosecond, leastDelayNs, mostDelayNs, capacity, writes, true);
    }
}
