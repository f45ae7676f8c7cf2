package io.tensorferry.verbs.device;

/// A reliable-connected queue pair (`ibv_qp`). Each queue executes its work requests in posting order.
///
/// Threading: any thread may call any method; posting from several threads at once gives an undefined order. Posting
/// allocates no memory and never blocks.
public interface QueuePair extends AutoCloseable {
    /// The queue pair number, 24 bits.
    int number();

    /// The current state. The device changes it to [QueuePairState#ERR] when an operation fails.
    QueuePairState state();

    /// The maximum bytes of an inline message, at most [QueuePairOptions#inlineBytes()]; 0 if the device does not
    /// support inline messages.
    default int maxInlineBytes() {
        return 0;
    }

    /// The current carrier of requests, for display; empty if the device has only one carrier, and until the peer is
    /// found.
    default String way() {
        return "";
    }

    /// Changes the state.
    ///
    /// A change to RESET closes the memory windows bound on this queue pair.
    ///
    /// @throws VerbsException EINVAL if [io.tensorferry.verbs.device.support.QueuePairTransition] does not allow the
    ///     change; otherwise the device's error
    void modify(QueuePairAttributes attributes);

    /// Posts a send work request together with those prepared before by [#prepareSend]. The values are copied before
    /// this method returns. In [QueuePairState#ERR] the request completes with [WorkStatus#WR_FLUSH_ERR].
    ///
    /// @throws VerbsException under the conditions of [#prepareSend] and [#submitSends()]
    default void postSend(SendWorkRequest request) {
        prepareSend(request);
        submitSends();
    }

    /// Queues a send work request without notifying the device: one [#submitSends()] notifies it of many requests at
    /// the cost of one. The values of the request are copied before this method returns, the bytes of an inline message
    /// before [#submitSends()] returns. The device may start earlier, and does so when its list is full.
    ///
    /// @throws VerbsException ENOMEM if the send queue is full (a slot is released when the completion of its request,
    ///     or of a later signalled request, was polled); EINVAL if the state is not RTS, SQE or ERR, if an inline
    ///     request is longer than [#maxInlineBytes()], or if the memory window or the region does not allow the
    ///     request. The request is then not posted, and those before it are unaffected
    void prepareSend(SendWorkRequest request);

    /// Submits all prepared requests to the device; does nothing if there are none.
    ///
    /// @throws VerbsException if the device rejects a request: that request and those prepared after it are discarded
    ///     and never complete
    void submitSends();

    /// Posts a receive without a buffer, for RDMA WRITE with immediate.
    ///
    /// @param workId returned with the completion
    /// @throws VerbsException ENOMEM if the receive queue is full, EINVAL in state RESET
    default void postReceive(long workId) {
        postReceive(workId, 0, 0, 0);
    }

    /// Posts a receive for one message.
    ///
    /// @param workId returned with the completion
    /// @param address destination of the bytes of a SEND
    /// @param length buffer size in bytes, 0 to 2^32 - 1; 0 without a buffer
    /// @param localKey the local key of the buffer's memory region
    /// @throws VerbsException ENOMEM if the receive queue is full, EINVAL in state RESET
    void postReceive(long workId, long address, long length, int localKey);

    /// Destroys the queue pair. Its outstanding work requests never complete, and the device does not access their
    /// memory once this method has returned. Memory windows bound on the queue pair are closed.
    @Override
    void close();
}
