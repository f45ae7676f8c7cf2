package io.tensorferry.it.benchmark;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;

/// Messages or tensors that were moved in sequence or concurrently.
///
/// @param count the number of messages
/// @param bytes their total content
/// @param elapsedNs from the first request to the last arrival
/// @param latenciesNs the latency of each; empty if only throughput was measured
public record Transfer(int count, long bytes, long elapsedNs, AbstractHistogram latenciesNs) {
    private static final int DIGITS = 3;

    /// Creates a transfer without latencies.
    public static Transfer ofThroughput(int count, long bytes, long elapsedNs) {
        return new Transfer(count, bytes, elapsedNs, emptyHistogram());
    }

    /// An auto-resizing histogram for latencies in nanoseconds, with three significant digits.
    public static Histogram emptyHistogram() {
        return new Histogram(DIGITS);
    }

    public double perSecond() {
        return count * 1e9 / elapsedNs;
    }

    public double bytesPerSecond() {
        return bytes * 1e9 / elapsedNs;
    }

    public double latencyMicros(double percentile) {
        return latenciesNs.getValueAtPercentile(percentile) / 1e3;
    }

    /// Formats this as one line of text, for [#parse].
    public String toLine() {
        ByteBuffer histogram = ByteBuffer.allocate(latenciesNs.getNeededByteBufferCapacity());
        int length = latenciesNs.encodeIntoCompressedByteBuffer(histogram);
        byte[] encoded = new byte[length];
        histogram.get(0, encoded);
        return count + " " + bytes + " " + elapsedNs + " " + Base64.getEncoder().encodeToString(encoded);
    }

    /// @throws IllegalArgumentException if `line` is not from [#toLine]
    public static Transfer parse(String line) {
        String[] parts = line.split(" ", -1);
        try {
            ByteBuffer histogram = ByteBuffer.wrap(Base64.getDecoder().decode(parts[3]));
            return new Transfer(
                    Integer.parseInt(parts[0]),
                    Long.parseLong(parts[1]),
                    Long.parseLong(parts[2]),
                    Histogram.decodeFromCompressedByteBuffer(histogram, 0));
        } catch (DataFormatException | IndexOutOfBoundsException | BufferUnderflowException e) {
            throw new IllegalArgumentException("'" + line + "' is not a transfer", e);
        }
    }
}
