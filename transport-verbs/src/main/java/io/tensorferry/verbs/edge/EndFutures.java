package io.tensorferry.verbs.edge;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.loop.UserCode;
import java.util.concurrent.CompletableFuture;

/// The futures of one end of an edge, as the loop completes them and as the user sees them: the edge is open, and the
/// end is over.
///
/// Threading: the user's views on any thread; the rest on the loop.
final class EndFutures {
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CompletableFuture<Void> shownOpened;
    private final CompletableFuture<Void> shownEnded;
    private Runnable onEnded = () -> {};

    EndFutures(UserCode users) {
        this.shownOpened = users.shown(opened);
        this.shownEnded = users.shown(ended);
    }

    /// The user's view.
    CompletableFuture<Void> opened() {
        return shownOpened;
    }

    /// The user's view.
    CompletableFuture<Void> ended() {
        return shownEnded;
    }

    /// @param action runs before [#ended()] completes; set before anything else happens
    void whenEnded(Runnable action) {
        onEnded = action;
    }

    /// Completes [#opened()].
    void open() {
        opened.complete(null);
    }

    /// Fails [#opened()], unless it is complete.
    void neverOpens(TransportException cause) {
        opened.completeExceptionally(cause);
    }

    /// Completes [#ended()], once.
    void end() {
        if (!ended.isDone()) {
            onEnded.run();
            ended.complete(null);
        }
    }
}
