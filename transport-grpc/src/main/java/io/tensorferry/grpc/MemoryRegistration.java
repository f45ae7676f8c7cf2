package io.tensorferry.grpc;

/// Keeps memory of the user registered with a transport's device until it is closed. Close it after the last tensor on
/// that memory.
@FunctionalInterface
public interface MemoryRegistration extends AutoCloseable {
    /// Ends the registration: the device can no longer read or write the memory.
    @Override
    void close();
}
