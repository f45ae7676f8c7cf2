package io.tensorferry.verbs.loop;

import io.tensorferry.api.thread.TransportFuture;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/// Runs the user's code on the callback executor instead of on a thread of the transport: actions that the user gave,
/// and the dependents of a future.
///
/// Threading: any thread.
public final class UserCode {
    private final Executor executor;

    /// @param executor the callback executor; it neither throws nor blocks
    public UserCode(Executor executor) {
        this.executor = executor;
    }

    /// Runs `action` soon, and logs any exception that it throws.
    ///
    /// @param what the action's description for the log, such as "tell the progress of a gather"
    public void run(String what, Runnable action) {
        executor.execute(() -> Tell.one(what, action));
    }

    /// Returns a future that completes as `own` does, soon after it, and whose dependents run on the callback executor.
    ///
    /// @param own completed by the transport, without dependents of the user
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
