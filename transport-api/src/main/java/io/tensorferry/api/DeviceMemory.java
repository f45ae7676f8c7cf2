package io.tensorferry.api;

/// A range of an accelerator's memory.
///
/// Threading: any thread.
public interface DeviceMemory extends AutoCloseable {
    /// The accelerator that holds the memory.
    Accelerator device();

    /// The device address of the first byte.
    long address();

    /// The size of the range in bytes.
    long byteSize();

    /// Frees the memory. No copy or transfer may use it afterwards. The second and later calls do nothing.
    @Override
    void close();
}
