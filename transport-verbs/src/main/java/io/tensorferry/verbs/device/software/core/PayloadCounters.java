package io.tensorferry.verbs.device.software.core;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/// How payload went through a device, in bytes, so that a test can show that nothing was copied in user space.
///
/// Threading: any thread.
public final class PayloadCounters {
    private final LongAdder sent = new LongAdder();
    private final LongAdder received = new LongAdder();
    private final LongAdder copied = new LongAdder();
    private final LongAdder shared = new LongAdder();
    private final LongAdder sharedConnections = new LongAdder();
    private final LongAdder tcpConnections = new LongAdder();

    /// Payload that a socket took from `buffer`: by the kernel straight from its memory, unless it is on the heap,
    /// for then the JDK copies it first.
    public void addSent(ByteBuffer buffer, long bytes) {
        sent.add(bytes);
        countCopy(buffer, bytes);
    }

    /// Payload that a socket put into `buffer`: by the kernel straight into its memory, unless it is on the heap,
    /// for then the JDK copies it afterwards.
    public void addReceived(ByteBuffer buffer, long bytes) {
        received.add(bytes);
        countCopy(buffer, bytes);
    }

    private void countCopy(ByteBuffer buffer, long bytes) {
        if (!buffer.isDirect()) {
            addCopied(bytes);
        }
    }

    /// Payload that came from a peer's memory straight into this device's, by one copy.
    public void addShared(long bytes) {
        shared.add(bytes);
    }

    /// A queue pair reached its peer.
    ///
    /// @param sharing whether through shared memory
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

    /// Payload that was copied from memory to memory in user space.
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
