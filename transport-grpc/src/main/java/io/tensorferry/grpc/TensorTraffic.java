package io.tensorferry.grpc;

import io.tensorferry.verbs.rendezvous.StepStatistics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Counts what the gRPC transport moves.
///
/// Threading: any thread.
final class TensorTraffic {
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

    /// @param steps null where these transfers are a part of a server's
    TransportStatistics snapshot(@Nullable StepStatistics steps) {
        // Ended before started: a receive between the two readings must not make the difference negative.
        long ended = receivesEnded.sum();
        return new TransportStatistics(
                steps == null ? 0 : steps.open(),
                steps == null ? 0 : steps.own(),
                steps == null ? Duration.ZERO : steps.oldestOwn(),
                (int) (receivesStarted.sum() - ended),
                steps == null ? 0 : steps.droppedSends(),
                tensorsReceived.sum(),
                bytesReceived.sum(),
                tensorsSent.sum(),
                bytesSent.sum(),
                0,
                0,
                0,
                null,
                null,
                List.of(),
                null);
    }
}
