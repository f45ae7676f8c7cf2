package io.tensorferry.api;

/// A range of an accelerator's memory as a file descriptor. Any thread.
public interface DmaBuf extends AutoCloseable {
    int fileDescriptor();

    /// Where the range begins in the file, bytes.
    long offset();

    /// Closes the file descriptor; whoever has taken it over has its own. The second and later calls do nothing.
    @Override
    void close();
}
