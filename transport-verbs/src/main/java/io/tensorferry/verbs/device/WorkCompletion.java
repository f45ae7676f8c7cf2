package io.tensorferry.verbs.device;

/// A cursor on one completion (`ibv_wc`); valid while the handler runs.
public interface WorkCompletion {
    /// What the poster gave.
    long workId();

    WorkStatus status();

    /// What the vendor says of a failure, for its support; 0 where there is nothing.
    default int vendorError() {
        return 0;
    }

    /// Meaningful only for a success.
    Opcode opcode();

    /// Bytes that arrived, for the completion of a receive.
    long byteLength();

    /// Whether an immediate arrived; never for what this side sent.
    boolean hasImmediate();

    /// The immediate as a number, where there is one.
    int immediate();

    /// The own queue pair on which the work request was posted.
    int queuePairNumber();

    /// What completed.
    enum Opcode {
        RDMA_WRITE,
        RDMA_READ,
        SEND,
        BIND_MW,
        LOCAL_INV,
        RECEIVE,
        RECEIVE_RDMA_WITH_IMM
    }
}
