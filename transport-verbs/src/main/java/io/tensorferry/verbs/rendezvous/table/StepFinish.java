package io.tensorferry.verbs.rendezvous.table;

import io.tensorferry.api.TransportException;
import java.util.concurrent.CompletableFuture;

/// The orderly end of a step that takes no more sends and closes once no work is left in it.
///
/// Threading: any thread.
final class StepFinish {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final TransportException closed;
    private final Runnable leave;
    private volatile boolean late;

    /// @param closed the cause that the step ends with once no work is left
    /// @param leave removes the step from the table of steps; the second and later calls do nothing
    StepFinish(TransportException closed, Runnable leave) {
        this.closed = closed;
        this.leave = leave;
    }

    /// Completes once the step is closed, on the thread that closes it.
    CompletableFuture<Void> done() {
        return done;
    }

    /// Removes the step from the table of steps; called when no work is left, before the step ends.
    void leaveTable() {
        leave.run();
    }

    /// The cause that the step ends with once no work is left.
    TransportException closed() {
        return closed;
    }

    /// Completes [#done()]: normally if the step ended with [#closed()], otherwise with `cause`. Several threads may
    /// call it.
    void onEnded(TransportException cause) {
        leave.run();
        // A thread that closes a finished step may be slower than another thread that finds it closed.
        if (cause.equals(closed)) {
            done.complete(null);
        } else if (!late) {
            done.completeExceptionally(cause);
        }
    }

    /// Announces that the step ends because its timeout expired; [#onLate] then completes [#done()].
    void beginLate() {
        late = true;
    }

    void onLate(TransportException why) {
        done.completeExceptionally(why);
    }
}
