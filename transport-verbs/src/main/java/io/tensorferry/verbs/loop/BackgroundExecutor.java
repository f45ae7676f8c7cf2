package io.tensorferry.verbs.loop;

import java.util.concurrent.Executor;

/// Where work is done that may take long or wait: registration, set-up and end of queue pairs, copies.
///
/// Threading: any thread.
@FunctionalInterface
public interface BackgroundExecutor extends Executor, AutoCloseable {
    /// Waits until all is done that was given. Not on a worker.
    default void awaitIdle() {}

    /// Takes nothing more, and waits for the rest.
    @Override
    default void close() {}
}
