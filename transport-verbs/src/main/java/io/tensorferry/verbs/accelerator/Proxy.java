package io.tensorferry.verbs.accelerator;

import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import java.lang.foreign.MemorySegment;

/// A piece of host memory that the accelerators of a server and the RDMA device both reach: on its way between them a
/// part of a content is here.
///
/// Owner: the loop, and there whoever it was given to, until it is closed or stranded.
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

    /// As many bytes as were asked for.
    public MemorySegment segment() {
        return buffer.segment();
    }

    public long address() {
        return buffer.address();
    }

    public long byteSize() {
        return buffer.byteSize();
    }

    /// The registration that it is a piece of.
    public MemoryRegion region() {
        return buffer.region();
    }

    String peer() {
        return peer;
    }

    /// Gives it back: neither device reaches it any more. The second and later calls do nothing.
    @Override
    public void close() {
        if (!gone) {
            gone = true;
            buffer.close();
            pool.onReturned(this);
        }
    }

    /// Gives it up: a device that has failed may reach it for ever, so that nobody gets it again.
    public void strand() {
        if (!gone) {
            gone = true;
            pool.onStranded(this);
        }
    }
}
