package io.tensorferry.verbs.device.software.core;

import java.util.concurrent.atomic.LongAdder;

/// How payload went through a device, in bytes, so that a test can show that nothing was copied in user space.
///
/// Threading: any thread.
public final class PayloadCounters {
    private final LongAdder sent = new LongAdder();
    private final LongAdder received = new LongAdder();
    private final LongAdder copied = new LongAdder();

    /// Payload that the kernel took straight from registered memory.
    public void addSent(long bytes) {
        sent.add(bytes);
    }

    /// Payload that the kernel put straight into registered memory.
    public void addReceived(long bytes) {
        received.add(bytes);
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
