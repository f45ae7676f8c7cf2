package io.tensorferry.api;

/// The result of a receive: a tensor, a dead tensor, or a failure.
public sealed interface RecvResult {
    /// The tensor arrived. The recipient of this result owns the handle and closes it.
    record Received(Tensor tensor) implements RecvResult {}

    /// The producer sent a dead tensor: the branch that would have produced it was not taken.
    record Dead() implements RecvResult {}

    /// The receive failed; the recipient has nothing to close.
    record Failed(TransportException cause) implements RecvResult {}

    /// Returns the received tensor, or throws.
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
