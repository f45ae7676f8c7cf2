package io.tensorferry.api;

/// Page-locked host memory that an accelerator can copy from and to asynchronously. Closing it unlocks the memory.
///
/// Threading: any thread.
public interface HostPin extends AutoCloseable {
    /// Unlocks the memory. No copy may use it any more. The second and later calls do nothing.
    @Override
    void close();
}
