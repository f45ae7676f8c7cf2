package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.verbs.device.SendWorkRequest.Opcode;
import org.jspecify.annotations.Nullable;

/// The numbers of operations in a [RingFile]: the low 8 bits of a request's first word.
final class RequestKind {
    private static final int MASK = 0xFF;

    private RequestKind() {}

    static int of(Opcode opcode) {
        return switch (opcode) {
            case RDMA_WRITE -> 1;
            case RDMA_WRITE_WITH_IMM -> 2;
            case RDMA_READ -> 3;
            case SEND -> 4;
            case SEND_WITH_IMM -> 5;
            case BIND_MW, LOCAL_INV -> throw new IllegalArgumentException(opcode + " is not sent to the peer");
        };
    }

    /// @return null for an unknown operation
    static @Nullable Opcode opcode(int word) {
        return switch (word & MASK) {
            case 1 -> Opcode.RDMA_WRITE;
            case 2 -> Opcode.RDMA_WRITE_WITH_IMM;
            case 3 -> Opcode.RDMA_READ;
            case 4 -> Opcode.SEND;
            case 5 -> Opcode.SEND_WITH_IMM;
            default -> null;
        };
    }
}
