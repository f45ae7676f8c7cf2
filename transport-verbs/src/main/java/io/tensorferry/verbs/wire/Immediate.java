package io.tensorferry.verbs.wire;

/// What the 32-bit immediate of an RDMA write with immediate tells its receiver.
///
/// A valid [RequestIndex] says that the content of that request has landed. The values from `0xFFF00000` up are no
/// request indexes: the lowest 65,536 of them say that a tensor of an edge has landed, two more have a meaning, and any
/// other is a violation of the protocol.
public final class Immediate {
    /// The write filled the next slot of the receiver's message ring.
    public static final int CONTROL_MESSAGE = 0xFFFFFFFF;

    /// The write returns credits for message slots that the receiver of it had used.
    public static final int ACKNOWLEDGEMENT = 0xFFFFFFFE;

    /// How many edges of one receiver and one sender have numbers.
    public static final int EDGES = 1 << 16;

    private static final int FIRST_EDGE = 0xFFF00000;

    private Immediate() {}

    /// Says that the next tensor of an edge has landed.
    ///
    /// @param edge its number, 0 to [#EDGES] - 1
    public static int ofEdge(int edge) {
        return FIRST_EDGE + edge;
    }

    /// Whether `immediate` says so. Says nothing about whether that edge exists.
    public static boolean isEdge(int immediate) {
        return Integer.compareUnsigned(immediate - FIRST_EDGE, EDGES) < 0;
    }

    /// The number of the edge, where it is one.
    public static int edge(int immediate) {
        return immediate - FIRST_EDGE;
    }

    /// Whether `immediate` is the index of a request whose content has landed. Says nothing about whether that
    /// request exists.
    public static boolean isRequestIndex(int immediate) {
        return RequestIndex.isValid(immediate);
    }
}
