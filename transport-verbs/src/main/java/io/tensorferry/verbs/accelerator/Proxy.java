package io.tensorferry.verbs.accelerator;

import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import java.lang.foreign.MemorySegment;

/// A buffer of host memory that both the accelerators of a server and the RDMA device can access; stages a part of a
/// content.
///
/// Ownership: the receiver of the proxy, on the loop, until it is closed or stranded.
public final class Proxy implements AutoCloseable {
    private final ProxyPool pool;
    private final String peer;
    private final RegisteredBuffer buffer;
    private boolean gone;

    Proxy(ProxyPool pool, String peer, RegisteredBuffer buffer) {
        this.pool = pool;
        this.peer = peer;
        this.buffer = buffer;
    }

    /// The memory, of the requested size.
    public MemorySegment segment() {
        return buffer.segment();
    }

    public long address() {
        return buffer.address();
    }

    public long byteSize() {
        return buffer.byteSize();
    }

    /// The memory region that contains the proxy.
    public MemoryRegion region() {
        return buffer.region();
    }

    String peer() {
        return peer;
    }

    /// Returns the proxy to the pool; neither device may access it any more. Later calls have no effect.
    @Override
    public void close() {
        if (!gone) {
            gone = true;
            buffer.close();
            pool.onReturned(this);
        }
    }

    /// Leaks the proxy: a failed device may access it at any time, so its memory is never reused.
    public void strand() {
        if (!gone) {
            gone = true;
            pool.onStranded(this);
        }
    }
}
