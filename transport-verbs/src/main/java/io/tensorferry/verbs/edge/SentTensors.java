package io.tensorferry.verbs.edge;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The tensors that the user sent over one edge and that are not complete: the waiting ones, and the ones in progress.
/// Decides whether the edge takes more.
///
/// ```
/// (user) -- add -->                        waiting
/// waiting -- start -->                     in progress
/// in progress -- takeBack -->              waiting, in front of the others
/// in progress -- the consumer has it, or it will never be sent --> removed
/// waiting -- fail -->                      closed
/// ```
///
/// Threading: any thread adds, closes and asks; the loop does the rest. This object's monitor guards all fields.
final class SentTensors {
    private static final int MOST_WAITING = 1024;

    private final String edge;
    // Oldest first.
    private final ArrayDeque<Tensor> waiting = new ArrayDeque<>();
    // Oldest first. Changed by the loop alone, which reads it without the lock.
    private final ArrayDeque<Tensor> inProgress = new ArrayDeque<>();
    // The reason why no more tensors are taken.
    private @Nullable TransportException failure;
    private boolean closed;

    /// @param edge the edge's description in error messages
    SentTensors(String edge) {
        this.edge = edge;
    }

    /// @throws IllegalStateException if the end is closed
    /// @throws TransportException if it has failed
    synchronized void requireTaking() {
        if (closed) {
            throw new IllegalStateException("the producer's end of " + edge + " is closed");
        }
        if (failure != null) {
            throw failure;
        }
    }

    /// Takes the handle over, unless it throws.
    ///
    /// @param copy sent instead of the tensor; null to send the tensor itself
    /// @return the handle that was taken over, which the caller owns if a copy is given
    synchronized Tensor add(Tensor tensor, @Nullable Tensor copy) {
        requireTaking();
        if (waiting.size() >= MOST_WAITING) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    waiting.size() + " tensors are queued in " + edge + "; no more are accepted");
        }
        Tensor taken;
        try {
            taken = tensor.handOver();
        } catch (IllegalStateException e) {
            throw cannotBeSent(tensor, e);
        }
        waiting.add(copy == null ? taken : copy);
        return taken;
    }

    IllegalStateException cannotBeSent(Tensor tensor, @Nullable Exception cause) {
        return new IllegalStateException(
                "the tensor cannot be sent over " + edge + ": its handle is closed or was already sent: " + tensor,
                cause);
    }

    /// Takes no more tensors; those that were taken are still sent.
    ///
    /// @return false if it was closed before
    synchronized boolean close() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    /// Takes no more tensors, and drops the waiting ones.
    void fail(TransportException cause) {
        List<Tensor> dropped;
        synchronized (this) {
            failure = failure == null ? cause : failure;
            dropped = List.copyOf(waiting);
            waiting.clear();
        }
        dropped.forEach(Tensor::close);
    }

    synchronized boolean hasFailed() {
        return failure != null;
    }

    synchronized boolean isBusy() {
        return !waiting.isEmpty() || !inProgress.isEmpty();
    }

    /// The reason for the end if no tensor waits and no more are taken; else null. It stays the same once none is in
    /// progress.
    synchronized @Nullable TransportException endWithoutWaiting() {
        if (!waiting.isEmpty() || !(closed || failure != null)) {
            return null;
        }
        TransportException cause = failure != null
                ? failure
                : new TransportException(StatusCode.ABORTED, "the producer has closed " + edge);
        if (inProgress.isEmpty()) {
            failure = cause;
        }
        return cause;
    }

    /// The number of tensors in progress. On the loop.
    int inProgress() {
        return inProgress.size();
    }

    /// Moves the oldest waiting tensor to those in progress and returns it; null if none may be sent.
    synchronized @Nullable Tensor start() {
        Tensor next = failure == null ? waiting.poll() : null;
        if (next != null) {
            inProgress.add(next);
        }
        return next;
    }

    /// Removes the oldest tensor in progress; the caller closes it.
    synchronized Tensor removeOldest() {
        return inProgress.remove();
    }

    /// Removes the newest tensor in progress; the caller closes it.
    synchronized Tensor removeNewest() {
        return inProgress.removeLast();
    }

    /// Removes the oldest waiting tensor; the caller closes it.
    synchronized Tensor removeWaiting() {
        return waiting.remove();
    }

    /// Moves the tensors in progress back to the waiting ones.
    synchronized void takeBack() {
        while (!inProgress.isEmpty()) {
            waiting.addFirst(inProgress.removeLast());
        }
    }

    /// Forgets the tensors in progress without closing them, and returns their number.
    synchronized int strand() {
        int stranded = inProgress.size();
        inProgress.clear();
        return stranded;
    }
}
