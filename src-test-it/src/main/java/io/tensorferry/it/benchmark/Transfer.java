package io.tensorferry.it.benchmark;

import org.HdrHistogram.AbstractHistogram;

/// Some tensors that were received one after the other or side by side.
///
/// @param count how many
/// @param bytes their content together
/// @param elapsedNs from the first request to the last arrival
/// @param latenciesNs of each tensor, from the request to the callback
record Transfer(int count, long bytes, long elapsedNs, AbstractHistogram latenciesNs) {
    double tensorsPerSecond() {
        return count * 1e9 / elapsedNs;
    }

    double bytesPerSecond() {
        return bytes * 1e9 / elapsedNs;
    }

    double latencyMicros(double percentile) {
        return latenciesNs.getValueAtPercentile(percentile) / 1e3;
    }
}
