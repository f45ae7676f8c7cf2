package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.SendWorkRequest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One work request in a send queue. Written by its poster before it is published, read by the loop until it
/// completes.
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

    /// What is bound or invalidated; null for what travels.
    @Nullable
    SoftwareMemoryWindow window;

    /// What the window is bound to.
    @Nullable
    SoftwareMemoryRegion windowRegion;

    Set<AccessFlag> windowAccess = Set.of();

    /// Where the payload is read from, or goes for a READ; found when the request is executed, null for one without
    /// bytes. The loop's.
    public @Nullable SoftwareMemoryRegion region;

    /// Its number on the wire. The loop's.
    public int sequence;

    /// Whether a READ has not been answered yet. The loop's.
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

    /// Whether it is carried out here and nothing of it travels.
    boolean isLocal() {
        return window != null;
    }

    /// It has completed.
    void release() {
        region = null;
        window = null;
        windowRegion = null;
    }

    /// Fills what the peer gets to see.
    public void describe(Request request) {
        request.opcode = opcode;
        request.sequence = sequence;
        request.length = length;
        request.remoteAddress = remoteAddress;
        request.remoteKey = remoteKey;
        request.immediate = immediate;
    }
}
