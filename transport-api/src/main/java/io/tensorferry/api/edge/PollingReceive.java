package io.tensorferry.api.edge;

/// A receive that a scheduler polls instead of being called back: a task whose tensor has not arrived returns to the
/// run queue and blocks no thread.
public interface PollingReceive {
    /// Whether the tensor has arrived or the receive has failed. One memory read: never waits, takes no lock, runs no
    /// callback.
    ///
    /// Threading: any thread.
    boolean poll();
}
