package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.SendWorkRequest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A work request in a send queue. The poster writes it before publication; the loop reads it until it completes.
public final class SendSlot {
    public SendWorkRequest.Opcode opcode = SendWorkRequest.Opcode.RDMA_WRITE;
    public long workId;
    public boolean signaled;
    public long localAddress;
    public long length;
    public int localKey;
    public long remoteAddress;
    public int remoteKey;
    public int immediate;

    /// The window to bind or invalidate; null for a request that is sent to the peer.
    @Nullable
    SoftwareMemoryWindow window;

    /// The binding of the window.
    @Nullable
    SoftwareMemoryRegion windowRegion;

    Set<AccessFlag> windowAccess = Set.of();

    /// The region that the payload is read from, or written to for a READ; resolved at execution, null without payload.
    /// Owned by the loop.
    public @Nullable SoftwareMemoryRegion region;

    /// The sequence number on the wire. Owned by the loop.
    public int sequence;

    /// Whether a READ is still unanswered. Owned by the loop.
    boolean awaitsData;

    void set(SendWorkRequest request) {
        opcode = request.opcode;
        workId = request.workId;
        signaled = request.signaled;
        localAddress = request.localAddress;
        length = request.length;
        localKey = request.localKey;
        remoteAddress = request.remoteAddress;
        remoteKey = request.remoteKey;
        immediate = request.immediate;
        awaitsData = request.opcode == SendWorkRequest.Opcode.RDMA_READ;
        boolean forWindow = request.isForWindow();
        window = forWindow ? (SoftwareMemoryWindow) request.window : null;
        windowRegion = forWindow ? (SoftwareMemoryRegion) request.region : null;
        windowAccess = request.windowAccess;
    }

    public boolean isRead() {
        return opcode == SendWorkRequest.Opcode.RDMA_READ;
    }

    /// Whether the request is executed locally, without a message to the peer.
    boolean isLocal() {
        return window != null;
    }

    /// Releases the slot after completion.
    void release() {
        region = null;
        window = null;
        windowRegion = null;
    }

    /// Fills `request` with the fields that the peer receives.
    public void describe(Request request) {
        request.opcode = opcode;
        request.sequence = sequence;
        request.length = length;
        request.remoteAddress = remoteAddress;
        request.remoteKey = remoteKey;
        request.immediate = immediate;
    }
}
