package io.tensorferry.verbs.device;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One work request for a send queue (`ibv_send_wr` with one scatter/gather entry). Mutable, so that a poster fills
/// one object again and again; owned by one thread.
///
/// Addresses are of this process (`localAddress`) and of the peer's (`remoteAddress`); lengths are bytes, 0 to 2^32
/// - 1 and at most the port's `maxMessageBytes`.
public final class SendWorkRequest {
    public enum Opcode {
        RDMA_WRITE,
        RDMA_WRITE_WITH_IMM,
        RDMA_READ,
        SEND,
        SEND_WITH_IMM,
        /// Binds a window. Nothing travels; it is carried out in its turn.
        BIND_MW,
        /// Ends what a window was bound to. Nothing travels; it is carried out in its turn.
        LOCAL_INV
    }

    private static final Set<AccessFlag> FOR_WRITES = Set.of(AccessFlag.REMOTE_WRITE);

    public Opcode opcode = Opcode.RDMA_WRITE;
    /// Comes back with the completion.
    public long workId;
    /// Whether a success produces a completion; a failure always does.
    public boolean signaled = true;
    /// Whether the peer's completion counts as solicited.
    public boolean solicited;
    /// Whether the bytes are copied when the request is posted, so that their memory is free at once and needs no
    /// registration. For writes and sends of at most [QueuePair#maxInlineBytes()].
    public boolean inline;
    public long localAddress;
    public long length;
    public int localKey;
    public long remoteAddress;
    public int remoteKey;
    /// The 32 bits that the peer's completion carries, as a number; the device puts them on the wire in network
    /// order.
    public int immediate;
    /// The window to bind or to invalidate; null for what travels.
    public @Nullable MemoryWindow window;
    /// The region of which [#localAddress] and [#length], here without an upper limit, are bound.
    public @Nullable MemoryRegion region;
    /// What the peer may do through the window.
    public Set<AccessFlag> windowAccess = FOR_WRITES;

    public SendWorkRequest() {}

    /// Fills every field for an RDMA WRITE without immediate; returns this.
    public SendWorkRequest write(
            long workId, long localAddress, long length, int localKey, long remoteAddress, int remoteKey) {
        return fill(Opcode.RDMA_WRITE, workId, localAddress, length, localKey, remoteAddress, remoteKey, 0);
    }

    /// Fills every field for an RDMA WRITE with immediate; returns this.
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

    /// Fills every field for an RDMA READ into local memory; returns this.
    public SendWorkRequest read(
            long workId, long localAddress, long length, int localKey, long remoteAddress, int remoteKey) {
        return fill(Opcode.RDMA_READ, workId, localAddress, length, localKey, remoteAddress, remoteKey, 0);
    }

    /// Fills every field for a SEND; returns this.
    public SendWorkRequest send(long workId, long localAddress, long length, int localKey) {
        return fill(Opcode.SEND, workId, localAddress, length, localKey, 0, 0, 0);
    }

    /// Fills every field for the binding of a window through which the peer of this queue pair may write; returns this.
    /// The key is [MemoryWindow#remoteKey()] once it was posted.
    ///
    /// @param address of the first byte
    /// @param length bytes, at least 1
    public SendWorkRequest bind(long workId, MemoryWindow window, MemoryRegion region, long address, long length) {
        fill(Opcode.BIND_MW, workId, address, length, 0, 0, 0, 0);
        this.window = window;
        this.region = region;
        return this;
    }

    /// Fills every field for the invalidation of a window that is bound on the same queue pair; returns this.
    public SendWorkRequest invalidate(long workId, MemoryWindow window) {
        fill(Opcode.LOCAL_INV, workId, 0, 0, 0, 0, 0, 0);
        this.window = window;
        return this;
    }

    /// Whether it is for a window, so that nothing of it travels.
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
