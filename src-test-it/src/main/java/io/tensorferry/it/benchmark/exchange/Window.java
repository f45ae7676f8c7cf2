package io.tensorferry.it.benchmark.exchange;

/// How many tensors of one length are asked for at a time when throughput is measured, the same on every path.
public final class Window {
    private static final int MOST = 32;
    private static final int FEWEST = 2;
    private static final long BYTES = 64L << 20;

    private Window() {}

    public static int of(long bytes) {
        return Math.clamp(BYTES / Math.max(1, bytes), FEWEST, MOST);
    }
}
