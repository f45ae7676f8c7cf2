package io.tensorferry.it.benchmark.exchange;

/// The number of outstanding requests when throughput is measured, by tensor length; the same on every path.
public final class Window {
    private static final int MOST = 32;
    private static final int FEWEST = 2;
    private static final long BYTES = 64L << 20;

    private Window() {}

    public static int of(long bytes) {
        return Math.clamp(BYTES / Math.max(1, bytes), FEWEST, MOST);
    }
}
