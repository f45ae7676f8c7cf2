package io.tensorferry.verbs.device;

/// A work completion (`ibv_wc`), as a cursor that is valid only while the handler runs.
public interface WorkCompletion {
    /// The identifier from the work request.
    long workId();

    WorkStatus status();

    /// The vendor's error code for a failure; 0 if there is none.
    default int vendorError() {
        return 0;
    }

    /// The completed operation; valid only on success.
    Opcode opcode();

    /// Received bytes; valid for the completion of a receive.
    long byteLength();

    /// Whether the completion carries an immediate; always false for send work requests.
    boolean hasImmediate();

    /// The immediate, if [#hasImmediate()].
    int immediate();

    /// The number of the local queue pair on which the work request was posted.
    int queuePairNumber();

    /// The operations of work completions.
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
