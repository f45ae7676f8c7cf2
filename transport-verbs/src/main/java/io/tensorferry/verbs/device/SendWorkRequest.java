package io.tensorferry.verbs.device;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A work request for a send queue (`ibv_send_wr` with one scatter/gather entry). Mutable, so that a poster can reuse
/// one object. Threading: owned by one thread.
///
/// `localAddress` is an address of this process, `remoteAddress` one of the peer. Lengths are in bytes, 0 to 2^32 - 1
/// and at most the port's `maxMessageBytes`.
/// - 1 and at most the port's `maxMessageBytes`.
public final class SendWorkRequest {
    public enum Opcode {
        RDMA_WRITE,
        RDMA_WRITE_WITH_IMM,
        RDMA_READ,
        SEND,
        SEND_WITH_IMM,
        /// Binds a memory window. Sends nothing; executes in queue order.
        BIND_MW,
        /// Invalidates the binding of a memory window. Sends nothing; executes in queue order.
        LOCAL_INV
    }

    private static final Set<AccessFlag> FOR_WRITES = Set.of(AccessFlag.REMOTE_WRITE);

    public Opcode opcode = Opcode.RDMA_WRITE;
    /// Returned with the completion.
    public long workId;
    /// Whether success produces a completion; a failure always does.
    public boolean signaled = true;
    /// Whether the peer's completion is a solicited event.
    public boolean solicited;
    /// Whether the bytes are copied when the request is posted, so that their memory can be reused at once and needs no
    /// registration. For writes and sends of at most [QueuePair#maxInlineBytes()] bytes.
    public boolean inline;
    public long localAddress;
    public long length;
    public int localKey;
    public long remoteAddress;
    public int remoteKey;
    /// The immediate value of the peer's completion; the device converts it to network byte order.
    public int immediate;
    /// The memory window to bind or invalidate; null for other opcodes.
    public @Nullable MemoryWindow window;
    /// The memory region to which the window is bound, over [#localAddress] and [#length]; here the length has no upper
    /// limit.
    public @Nullable MemoryRegion region;
    /// Access of the peer through the window.
    public Set<AccessFlag> windowAccess = FOR_WRITES;

    public SendWorkRequest() {}

    /// Sets every field for an RDMA WRITE without immediate; returns this.
    public SendWorkRequest write(
            long workId, long localAddress, long length, int localKey, long remoteAddress, int remoteKey) {
        return fill(Opcode.RDMA_WRITE, workId, localAddress, length, localKey, remoteAddress, remoteKey, 0);
    }

    /// Sets every field for an RDMA WRITE with immediate; returns this.
    public SendWorkRequest writeWithImmediate(
            long workId,
            long localAddress,
            long length,
            int localKey,
            long remoteAddress,
            int remoteKey,
            int immediate) {
        return fill(
                Opcode.RDMA_WRITE_WITH_IMM,
                workId,
                localAddress,
                length,
                localKey,
                remoteAddress,
                remoteKey,
                immediate);
    }

    /// Sets every field for an RDMA READ into local memory; returns this.
    public SendWorkRequest read(
            long workId, long localAddress, long length, int localKey, long remoteAddress, int remoteKey) {
        return fill(Opcode.RDMA_READ, workId, localAddress, length, localKey, remoteAddress, remoteKey, 0);
    }

    /// Sets every field for a SEND; returns this.
    public SendWorkRequest send(long workId, long localAddress, long length, int localKey) {
        return fill(Opcode.SEND, workId, localAddress, length, localKey, 0, 0, 0);
    }

    /// Sets every field for binding a memory window through which the peer of the queue pair may write; returns this.
    /// [MemoryWindow#remoteKey()] returns the rkey once the request is posted.
    ///
    /// @param address the address of the first byte
    /// @param length bytes, at least 1
    public SendWorkRequest bind(long workId, MemoryWindow window, MemoryRegion region, long address, long length) {
        fill(Opcode.BIND_MW, workId, address, length, 0, 0, 0, 0);
        this.window = window;
        this.region = region;
        return this;
    }

    /// Sets every field for invalidating a memory window that is bound on the same queue pair; returns this.
    public SendWorkRequest invalidate(long workId, MemoryWindow window) {
        fill(Opcode.LOCAL_INV, workId, 0, 0, 0, 0, 0, 0);
        this.window = window;
        return this;
    }

    /// Whether the request binds or invalidates a memory window, so that it sends nothing.
    public boolean isForWindow() {
        return opcode == Opcode.BIND_MW || opcode == Opcode.LOCAL_INV;
    }

    private SendWorkRequest fill(
            Opcode opcode,
            long workId,
            long localAddress,
            long length,
            int localKey,
            long remoteAddress,
            int remoteKey,
            int immediate) {
        this.opcode = opcode;
        this.workId = workId;
        this.signaled = true;
        this.solicited = false;
        this.inline = false;
        this.localAddress = localAddress;
        this.length = length;
        this.localKey = localKey;
        this.remoteAddress = remoteAddress;
        this.remoteKey = remoteKey;
        this.immediate = immediate;
        this.window = null;
        this.region = null;
        this.windowAccess = FOR_WRITES;
        return this;
    }
}
