package io.tensorferry.verbs.rendezvous.table;

import io.tensorferry.api.TransportException;
import java.util.concurrent.CompletableFuture;

/// The end of a step that takes no more sends, and is closed when nothing is left to be done in it.
///
/// Threading: any thread.
final class StepFinish {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final TransportException closed;
    private final Runnable leave;
    private volatile boolean late;

    /// @param closed what is said of the step when nothing was left to be done in it
    /// @param leave takes the step out of the table of steps; the second and later calls do nothing
    StepFinish(TransportException closed, Runnable leave) {
        this.closed = closed;
        this.leave = leave;
    }

    /// Completes once the step is closed, on whatever thread closes it.
    CompletableFuture<Void> done() {
        return done;
    }

    /// Nothing is left to be done: before the step ends.
    void leaveTable() {
        leave.run();
    }

    /// What the step ends with when nothing is left to be done in it.
    TransportException closed() {
        return closed;
    }

    /// The step has ended with [#closed()] or with something else, which whoever waits for its end is told. It may be
    /// told by several threads.
    void onEnded(TransportException cause) {
        leave.run();
        // Whoever closes a step that is done may be slower than another who finds it closed.
        if (cause.equals(closed)) {
            done.complete(null);
        } else if (!late) {
            done.completeExceptionally(cause);
        }
    }

    /// The step is about to end because its time is over; whoever waits for its end is told by [#onLate].
    void beginLate() {
        late = true;
    }

    void onLate(TransportException why) {
        done.completeExceptionally(why);
    }
}
