package io.tensorferry.verbs.device;

/// Creation parameters of a queue pair (`ibv_qp_init_attr`). Both queues may share one completion queue. A work request
/// has one scatter/gather entry.
///
/// @param sendCompletions the completion queue of send work requests
/// @param receiveCompletions the completion queue of receive work requests
/// @param sendDepth capacity of the send queue in work requests, 1 to the device's `maxWorkRequests`
/// @param receiveDepth capacity of the receive queue in work requests, 1 to the device's `maxWorkRequests`
/// @param inlineBytes requested maximum bytes of an inline message, which is copied when it is posted; 0 disables
///     inline messages. [QueuePair#maxInlineBytes()] returns the granted value
public record QueuePairOptions(
        CompletionQueue sendCompletions,
        CompletionQueue receiveCompletions,
        int sendDepth,
        int receiveDepth,
        int inlineBytes) {
    /// Creates options without inline messages.
    public QueuePairOptions(
            CompletionQueue sendCompletions, CompletionQueue receiveCompletions, int sendDepth, int receiveDepth) {
        this(sendCompletions, receiveCompletions, sendDepth, receiveDepth, 0);
    }
}
