package io.tensorferry.verbs.device.software.core;

/// The delays of a requester after "receiver not ready", by the code of `min_rnr_timer`.
///
/// Source: InfiniBand Architecture Specification, volume 1, "Encoding for RNR NAK Timer Field".
final class RnrTimer {
    private static final int[] HUNDREDTHS_OF_MILLISECONDS = {
        65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
        6144, 8192, 12288, 16384, 24576, 32768, 49152
    };

    private RnrTimer() {}

    /// @param code 0 to 31; 0 is the longest delay
    static long nanoseconds(int code) {
        return HUNDREDTHS_OF_MILLISECONDS[code] * 10_000L;
    }
}
