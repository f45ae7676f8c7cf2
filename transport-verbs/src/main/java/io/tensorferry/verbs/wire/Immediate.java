package io.tensorferry.verbs.wire;

/// Encodes and decodes the 32-bit immediate of an RDMA write with immediate.
///
/// A valid [RequestIndex] reports that the content of that request has landed. The values from `0xFFF00000` up are not
/// request indexes: the lowest 65,536 of them report a tensor of an edge, two more have a meaning, and all others are
/// protocol violations.
public final class Immediate {
    /// The write filled the next slot of the receiver's message ring.
    public static final int CONTROL_MESSAGE = 0xFFFFFFFF;

    /// The write acknowledges a batch of immediates that its receiver had sent, which returns their credits.
    public static final int ACKNOWLEDGEMENT = 0xFFFFFFFE;

    /// Number of edges that can be numbered for one receiver and one sender.
    public static final int EDGES = 1 << 16;

    private static final int FIRST_EDGE = 0xFFF00000;

    private Immediate() {}

    /// The immediate that reports an edge's next tensor.
    ///
    /// @param edge number of the edge, 0 to [#EDGES] - 1
    public static int ofEdge(int edge) {
        return FIRST_EDGE + edge;
    }

    /// Whether `immediate` reports a tensor of an edge. Does not check that the edge exists.
    public static boolean isEdge(int immediate) {
        return Integer.compareUnsigned(immediate - FIRST_EDGE, EDGES) < 0;
    }

    /// The edge number of an immediate for which [#isEdge] is true.
    public static int edge(int immediate) {
        return immediate - FIRST_EDGE;
    }

    /// Whether `immediate` is the index of a request whose content has landed. Does not check that the request exists.
    public static boolean isRequestIndex(int immediate) {
        return RequestIndex.isValid(immediate);
    }
}
