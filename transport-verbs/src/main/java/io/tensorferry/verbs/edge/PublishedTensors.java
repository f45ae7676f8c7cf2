package io.tensorferry.verbs.edge;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.loop.UserCode;
import org.jspecify.annotations.Nullable;

/// The consumer's view of one edge: how many tensors it may take, how many it took, and the end of the edge. The loop
/// publishes, the consumer takes, without a lock between them.
///
/// Threading: [#poll], [#next] and [#took] on the consumer's thread; the readers on any thread; the rest on the loop.
final class PublishedTensors {
    private static final long ENDED = Long.MAX_VALUE;

    private final String edge;
    private final UserCode users;
    // The number of arrived tensors, or ENDED; then `failure` and `arrivedAtEnd` give the details.
    private volatile long ready;
    private volatile @Nullable TransportException failure;
    private long arrivedAtEnd;
    private volatile @Nullable Runnable readyAction;
    // The consumer's count of taken tensors.
    private volatile long taken;

    /// @param edge the edge's description in error messages
    PublishedTensors(String edge, UserCode users) {
        this.edge = edge;
        this.users = users;
    }

    /// Whether a tensor can be taken, or the edge has ended.
    boolean poll() {
        return ready > taken;
    }

    /// The sequence number of the tensor that the consumer takes next. It calls [#took()] afterwards.
    ///
    /// @throws IllegalStateException if none has arrived
    /// @throws TransportException if the edge has ended, and every tensor was taken
    long next() {
        long there = ready;
        if (there <= taken) {
            throw new IllegalStateException("no tensor has arrived over " + edge + "; poll() returns whether one has");
        }
        if (there == ENDED && taken >= arrivedAtEnd) {
            throw failed();
        }
        return taken;
    }

    private TransportException failed() {
        TransportException why = failure;
        if (why == null) {
            throw new IllegalStateException(edge + " has ended without a cause");
        }
        return why;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // Written by the consumer alone.
    void took() {
        taken++;
    }

    /// The number of tensors that the consumer has taken. Any thread.
    long taken() {
        return taken;
    }

    /// Sets the action that runs when a tensor can be taken. Any thread; [#tellIfReady()] follows on the loop.
    void onReady(Runnable action) {
        readyAction = action;
    }

    void tellIfReady() {
        if (ready > 0) {
            tell();
        }
    }

    private void tell() {
        Runnable action = readyAction;
        if (action != null) {
            users.run("run the action that waits for a tensor of " + edge, action);
        }
    }

    /// Whether arrivals are still published. Any thread.
    boolean isOpen() {
        return failure == null;
    }

    /// Publishes the arrival of the tensors up to number `arrived`, unless the edge has ended.
    void publish(long arrived) {
        if (isOpen()) {
            ready = arrived;
            tell();
        }
    }

    /// Publishes the end of the edge after `arrived` tensors, unless it has ended.
    void end(long arrived, TransportException cause) {
        if (isOpen()) {
            arrivedAtEnd = arrived;
            failure = cause;
            ready = ENDED;
            tell();
        }
    }
}
