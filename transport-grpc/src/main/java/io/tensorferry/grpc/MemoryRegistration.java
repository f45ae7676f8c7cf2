package io.tensorferry.grpc;

/// Memory of the user that a transport's device may read and write, until this is closed. Close it after the last
/// tensor on that memory.
@FunctionalInterface
public interface MemoryRegistration extends AutoCloseable {
    @Override
    void close();
}
