package io.tensorferry.api;

/// How a receive ended.
public sealed interface RecvResult {
    /// The tensor arrived. Whoever gets this result owns the handle and closes it.
    record Received(Tensor tensor) implements RecvResult {}

    /// The producer sent a dead tensor: the branch that would have made it was not taken.
    record Dead() implements RecvResult {}

    /// The receive failed; nothing is to be closed.
    record Failed(TransportException cause) implements RecvResult {}

    /// The tensor, where one arrived.
    ///
    /// @throws TransportException the cause of a failed receive, or `FAILED_PRECONDITION` for a dead tensor
    default Tensor tensorOrThrow() {
        return switch (this) {
            case Received(Tensor tensor) -> tensor;
            case Dead() -> throw new TransportException(StatusCode.FAILED_PRECONDITION, "the tensor is dead");
            case Failed(TransportException cause) -> throw cause;
        };
    }
}
