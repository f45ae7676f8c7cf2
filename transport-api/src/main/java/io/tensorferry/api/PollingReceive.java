package io.tensorferry.api;

/// A receive that a runtime's scheduler asks whether it is ready, instead of being called back: what is not ready goes
/// to the end of the queue of what may run, and waits there without a thread.
public interface PollingReceive {
    /// Whether what was waited for is there, be it the tensor or the failure. Never waits, takes no lock, calls
    /// nothing: one read of memory. Any thread.
    boolean poll();
}
