package io.tensorferry.verbs.device;

/// A reliable-connected queue pair: work requests of one queue are carried out in the order posted.
///
/// Threading: any thread may call any method; posting from several threads at once gives an undefined order.
/// Posting allocates nothing and never waits.
public interface QueuePair extends AutoCloseable {
    /// The number that the peer connects to, 24 bits.
    int number();

    /// The state now; the device moves it to [QueuePairState#ERR] by itself when an operation fails.
    QueuePairState state();

    /// The longest message that a work request may carry inline, bytes; 0 where the device does not inline, and at
    /// most what [QueuePairOptions#inlineBytes()] asked for.
    default int maxInlineBytes() {
        return 0;
    }

    /// The carrier of its requests now, in a word or two for people; empty where the device has one carrier only, and
    /// while the peer is not found.
    default String way() {
        return "";
    }

    /// Changes the state.
    ///
    /// To RESET: windows that are bound on it are closed.
    ///
    /// @throws VerbsException EINVAL if [io.tensorferry.verbs.device.support.QueuePairTransition] does not allow it, or
    /// the device refuses
    void modify(QueuePairAttributes attributes);

    /// Posts a send-queue work request, whose values are copied before this returns, and with it those that
    /// [#prepareSend] was given before. In [QueuePairState#ERR] it completes with [WorkStatus#WR_FLUSH_ERR].
    ///
    /// @throws VerbsException as [#prepareSend] and [#submitSends()]
    default void postSend(SendWorkRequest request) {
        prepareSend(request);
        submitSends();
    }

    /// Puts a send-queue work request behind those posted before, without telling the device: one [#submitSends()]
    /// does so for many, at the price of one. Its values are copied before this returns, the bytes of an inline one
    /// before [#submitSends()] does. The device may begin with it earlier, and does where its list is full.
    ///
    /// @throws VerbsException ENOMEM if the send queue is full (a slot is free again when the completion of its
    ///     request, or of a later signalled one, was polled), EINVAL if the state is neither RTS, SQE nor ERR, or
    ///     the request is to be inline and longer than [#maxInlineBytes()], or it is one for a window that
    ///     [MemoryWindow] or the region does not allow; then this request is not posted, and those before it are
    ///     as they were
    void prepareSend(SendWorkRequest request);

    /// Has the device carry out all that is prepared; nothing where nothing is.
    ///
    /// @throws VerbsException if the device refuses one: it, and those prepared behind it, are forgotten and never
    ///     complete
    void submitSends();

    /// Posts a receive that takes an immediate and no message bytes (for RDMA WRITE with immediate).
    ///
    /// @param workId comes back with the completion
    /// @throws VerbsException ENOMEM if the receive queue is full, EINVAL in state RESET
    default void postReceive(long workId) {
        postReceive(workId, 0, 0, 0);
    }

    /// Posts a receive for one message.
    ///
    /// @param workId comes back with the completion
    /// @param address where the bytes of a SEND go
    /// @param length room there, in bytes, 0 to 2^32 - 1; 0 for none
    /// @param localKey the local key of the region
    /// @throws VerbsException ENOMEM if the receive queue is full, EINVAL in state RESET
    void postReceive(long workId, long address, long length, int localKey);

    /// Destroys the queue pair. Its outstanding work requests never complete and the device touches their memory no
    /// more once this returned. Windows that are bound on it are closed.
    @Override
    void close();
}
