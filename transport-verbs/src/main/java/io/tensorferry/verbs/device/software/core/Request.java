package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.SendWorkRequest;

/// A request as the responder receives it. Mutable and reused; owned by the loop.
public final class Request {
    public SendWorkRequest.Opcode opcode = SendWorkRequest.Opcode.RDMA_WRITE;
    public int sequence;
    public long length;
    public long remoteAddress;
    public int remoteKey;
    public int immediate;

    /// Whether the request consumes a posted receive.
    public boolean takesReceive() {
        return switch (opcode) {
            case RDMA_WRITE_WITH_IMM, SEND, SEND_WITH_IMM -> true;
            case RDMA_WRITE, RDMA_READ, BIND_MW, LOCAL_INV -> false;
        };
    }

    boolean isSend() {
        return opcode == SendWorkRequest.Opcode.SEND || opcode == SendWorkRequest.Opcode.SEND_WITH_IMM;
    }

    boolean hasImmediate() {
        return opcode == SendWorkRequest.Opcode.SEND_WITH_IMM || opcode == SendWorkRequest.Opcode.RDMA_WRITE_WITH_IMM;
    }
}
