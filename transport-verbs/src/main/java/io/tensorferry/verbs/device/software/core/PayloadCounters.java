package io.tensorferry.verbs.device.software.core;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/// Counts payload bytes by the path that they took through a device, so that tests can verify that user space copied
/// none.
///
/// Threading: any thread.
public final class PayloadCounters {
    private final LongAdder sent = new LongAdder();
    private final LongAdder received = new LongAdder();
    private final LongAdder copied = new LongAdder();
    private final LongAdder shared = new LongAdder();
    private final LongAdder sharedConnections = new LongAdder();
    private final LongAdder tcpConnections = new LongAdder();

    /// Counts payload that a socket took from `buffer`. The kernel reads direct buffers in place; the JDK first copies
    /// heap buffers.
    public void addSent(ByteBuffer buffer, long bytes) {
        sent.add(bytes);
        countCopy(buffer, bytes);
    }

    /// Counts payload that a socket wrote to `buffer`. The kernel writes to direct buffers in place; the JDK copies to
    /// heap buffers afterwards.
    public void addReceived(ByteBuffer buffer, long bytes) {
        received.add(bytes);
        countCopy(buffer, bytes);
    }

    private void countCopy(ByteBuffer buffer, long bytes) {
        if (!buffer.isDirect()) {
            addCopied(bytes);
        }
    }

    /// Counts payload copied once, from a peer's memory directly into this device's.
    public void addShared(long bytes) {
        shared.add(bytes);
    }

    /// Counts a connection of a queue pair to its peer.
    ///
    /// @param sharing whether the connection uses shared memory
    public void addConnection(boolean sharing) {
        (sharing ? sharedConnections : tcpConnections).increment();
    }

    public long shared() {
        return shared.sum();
    }

    public long sharedConnections() {
        return sharedConnections.sum();
    }

    public long tcpConnections() {
        return tcpConnections.sum();
    }

    /// Counts payload that user space copied from memory to memory.
    public void addCopied(long bytes) {
        copied.add(bytes);
    }

    public long sent() {
        return sent.sum();
    }

    public long received() {
        return received.sum();
    }

    public long copied() {
        return copied.sum();
    }
}
