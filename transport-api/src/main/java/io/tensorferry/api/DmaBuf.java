package io.tensorferry.api;

/// A range of an accelerator's memory, exported as a dmabuf file descriptor.
///
/// Threading: any thread.
public interface DmaBuf extends AutoCloseable {
    /// The number of the file descriptor, valid until this is closed.
    int fileDescriptor();

    /// The offset of the range in the file, in bytes.
    long offset();

    /// Closes the file descriptor; drivers that imported it keep their own reference. The second and later calls do
    /// nothing.
    @Override
    void close();
}
