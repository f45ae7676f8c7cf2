package io.tensorferry.grpc.tensors;

import java.util.concurrent.atomic.LongAdder;

/// Counts receives, tensors and bytes that travel over gRPC.
///
/// Threading: any thread.
public final class TensorTraffic {
    private final LongAdder receivesStarted = new LongAdder();
    private final LongAdder receivesEnded = new LongAdder();
    private final LongAdder tensorsReceived = new LongAdder();
    private final LongAdder bytesReceived = new LongAdder();
    private final LongAdder tensorsSent = new LongAdder();
    private final LongAdder bytesSent = new LongAdder();

    void receiveStarted() {
        receivesStarted.increment();
    }

    void receiveEnded() {
        receivesEnded.increment();
    }

    void received(long bytes) {
        tensorsReceived.increment();
        bytesReceived.add(bytes);
    }

    void sent(long bytes) {
        tensorsSent.increment();
        bytesSent.add(bytes);
    }

    /// The number of receives that have started and not ended.
    public int pendingReceives() {
        // Read before the starts: a receive that starts and ends in between must not make the difference negative.
        long ended = receivesEnded.sum();
        return (int) (receivesStarted.sum() - ended);
    }

    public long tensorsReceived() {
        return tensorsReceived.sum();
    }

    public long bytesReceived() {
        return bytesReceived.sum();
    }

    public long tensorsSent() {
        return tensorsSent.sum();
    }

    public long bytesSent() {
        return bytesSent.sum();
    }
}
