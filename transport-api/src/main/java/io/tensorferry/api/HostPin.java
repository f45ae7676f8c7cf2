package io.tensorferry.api;

/// Host memory that is locked in place for an accelerator, until this is closed. Any thread.
public interface HostPin extends AutoCloseable {
    /// Ends it, when no copy uses the memory any more. The second and later calls do nothing.
    @Override
    void close();
}
