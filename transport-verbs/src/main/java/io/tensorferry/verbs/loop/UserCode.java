package io.tensorferry.verbs.loop;

import io.tensorferry.api.TransportFuture;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/// Runs code of the user's where callbacks run, and not on a thread of the transport's: actions that the user gave, and
/// whatever hangs on a future.
///
/// Threading: any thread.
public final class UserCode {
    private final Executor executor;

    /// @param executor of callbacks; it neither throws nor waits
    public UserCode(Executor executor) {
        this.executor = executor;
    }

    /// Has `action` run soon, and logs what it throws.
    ///
    /// @param what it is, for the log, as "tell the progress of a gather"
    public void run(String what, Runnable action) {
        executor.execute(() -> Tell.one(what, action));
    }

    /// A future that ends as `own` does, soon after it; what hangs on it runs where callbacks run.
    ///
    /// @param own completed by the transport, with nothing of the user's hanging on it
    public <T> CompletableFuture<T> shown(CompletableFuture<T> own) {
        CompletableFuture<T> shown = new TransportFuture<>();
        var _ = own.whenComplete((value, cause) -> executor.execute(() -> {
            if (cause == null) {
                shown.complete(value);
            } else {
                shown.completeExceptionally(cause);
            }
        }));
        return shown;
    }
}
