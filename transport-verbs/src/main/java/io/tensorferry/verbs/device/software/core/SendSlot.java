package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.SendWorkRequest;
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
    }

    public boolean isRead() {
        return opcode == SendWorkRequest.Opcode.RDMA_READ;
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
