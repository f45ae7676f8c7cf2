package io.tensorferry.verbs.loop;

import java.util.concurrent.Executor;

/// Runs work that may block or take long: memory registration, queue pair set-up and destruction, copies.
///
/// Threading: any thread.
@FunctionalInterface
public interface BackgroundExecutor extends Executor, AutoCloseable {
    /// Waits until every task given so far has finished. Must not be called from a background thread.
    default void awaitIdle() {}

    /// Rejects further tasks and waits for those already given.
    @Override
    default void close() {}
}
