package io.tensorferry.api;

/// A range of an accelerator's memory, of whoever allocated it.
///
/// Threading: any thread.
public interface DeviceMemory extends AutoCloseable {
    Accelerator device();

    /// Of the first byte, as the device counts it.
    long address();

    long byteSize();

    /// Gives it back. Nothing may use it any more. The second and later calls do nothing.
    @Override
    void close();
}
