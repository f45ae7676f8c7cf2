package io.tensorferry.verbs.statistics;

import io.tensorferry.verbs.device.QueuePairAddress;
import java.util.List;

/// The parameters that two workers negotiated for a channel, as seen by one end. Immutable.
///
/// Both ends use the smaller of their two values of each limit, and the larger value of `stripeBytes`.
///
/// @param peer the other worker, for example `/job:worker/replica:0/task:1`
/// @param connectionId the random number of this channel, the same at both ends
/// @param device this end's device, for example `mlx5_0`
/// @param port the port of this end's device, from 1
/// @param queuePairs this end's queue pairs with GID and LID: the control queue pair, then the lanes in order
/// @param peerQueuePairs the peer's, in the same order
/// @param mtu payload bytes of a packet
/// @param ringSlots control messages that may be in flight in each direction
/// @param slotBytes bytes of the longest control message
/// @param sendDepth work requests that this end may have outstanding on each queue pair; not negotiated
/// @param receiveDepth contents that may be in flight on each lane in each direction
/// @param maxWriteBytes maximum bytes of a single RDMA WRITE; a longer content is split
/// @param stripeBytes contents of at least this many bytes are striped over all lanes; `Long.MAX_VALUE` if striping is
///     disabled
/// @param readsAtOnce maximum outstanding RDMA READs per lane in each direction; 0 if RDMA READ is disabled
/// @param piecesAtOnce the limit announced by this end on the memory pieces of one content that the peer may have named
///     to it and that are not yet written, 0 to 255
/// @param peerPieces the limit announced by the peer on the memory pieces of one content that this end may have named
///     to it and that are not yet written, 0 to 255. At 0, memory is named to the peer only for whole contents
public record ChannelDescription(
        String peer,
        long connectionId,
        String device,
        int port,
        List<QueuePairAddress> queuePairs,
        List<QueuePairAddress> peerQueuePairs,
        int mtu,
        int ringSlots,
        int slotBytes,
        int sendDepth,
        int receiveDepth,
        long maxWriteBytes,
        long stripeBytes,
        int readsAtOnce,
        int piecesAtOnce,
        int peerPieces) {
    public ChannelDescription {
        queuePairs = List.copyOf(queuePairs);
        peerQueuePairs = List.copyOf(peerQueuePairs);
    }

    /// The number of data queue pairs, 1 to 64.
    public int lanes() {
        return queuePairs.size() - 1;
    }
}
