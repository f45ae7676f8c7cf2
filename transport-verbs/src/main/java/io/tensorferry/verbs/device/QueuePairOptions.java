package io.tensorferry.verbs.device;

/// What a queue pair is made with (`ibv_qp_init_attr`). One completion queue serves both directions or each has its
/// own; a work request has one scatter/gather entry.
///
/// @param sendCompletions where send work requests complete
/// @param receiveCompletions where receive work requests complete
/// @param sendDepth work requests that the send queue holds, 1 to the device's `maxWorkRequests`
/// @param receiveDepth work requests that the receive queue holds, 1 to the device's `maxWorkRequests`
/// @param inlineBytes the longest message that is to be sent inline, that is, copied when it is posted; a wish, 0 for
///     none: [QueuePair#maxInlineBytes()] tells what was granted
public record QueuePairOptions(
        CompletionQueue sendCompletions,
        CompletionQueue receiveCompletions,
        int sendDepth,
        int receiveDepth,
        int inlineBytes) {
    /// Without inline messages.
    public QueuePairOptions(
            CompletionQueue sendCompletions, CompletionQueue receiveCompletions, int sendDepth, int receiveDepth) {
        this(sendCompletions, receiveCompletions, sendDepth, receiveDepth, 0);
    }
}
