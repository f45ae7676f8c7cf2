package io.tensorferry.verbs.device;

/// The states of a queue pair (`ibv_modify_qp`).
public enum QueuePairState {
    RESET,
    INIT,
    /// Ready to receive.
    RTR,
    /// Ready to send.
    RTS,
    /// Send queue error; a reliable-connected queue pair goes to [#ERR] instead.
    SQE,
    /// Every work request, posted before or after, completes with [WorkStatus#WR_FLUSH_ERR].
    ERR
}
