package io.tensorferry.verbs.wire;

/// What the 32-bit immediate of an RDMA write with immediate tells its receiver.
///
/// A valid [RequestIndex] says that the content of that request has landed. The values from `0xFFF00000` up are no
/// request indexes; two of them have a meaning, and any other is a violation of the protocol.
public final class Immediate {
    /// The write filled the next slot of the receiver's message ring.
    public static final int CONTROL_MESSAGE = 0xFFFFFFFF;

    /// The write returns credits for message slots that the receiver of it had used.
    public static final int ACKNOWLEDGEMENT = 0xFFFFFFFE;

    private Immediate() {}

    /// Whether `immediate` is the index of a request whose content has landed. Says nothing about whether that
    /// request exists.
    public static boolean isRequestIndex(int immediate) {
        return RequestIndex.isValid(immediate);
    }
}
