package io.tensorferry.verbs.device;

/// What a queue pair is made with (`ibv_qp_init_attr`). One completion queue serves both directions or each has its
/// own; a work request has one scatter/gather entry.
///
/// @param sendCompletions where send work requests complete
/// @param receiveCompletions where receive work requests complete
/// @param sendDepth work requests that the send queue holds, 1 to the device's `maxWorkRequests`
/// @param receiveDepth work requests that the receive queue holds, 1 to the device's `maxWorkRequests`
public record QueuePairOptions(
        CompletionQueue sendCompletions, CompletionQueue receiveCompletions, int sendDepth, int receiveDepth) {}
