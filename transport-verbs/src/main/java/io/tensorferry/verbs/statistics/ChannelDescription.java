package io.tensorferry.verbs.statistics;

import io.tensorferry.verbs.device.QueuePairAddress;
import java.util.List;

/// What two workers agreed on when a channel was set up, as one end sees it. Immutable.
///
/// Of each limit both ends use the smaller of their two, of `stripeBytes` the larger.
///
/// @param peer the other worker, as `/job:worker/replica:0/task:1`
/// @param connectionId the random number of this channel, the same at both ends
/// @param device this end's device, as `mlx5_0`
/// @param port this end's port of it, from 1
/// @param queuePairs this end's queue pairs with GID and LID: the control queue pair, then the lanes in their order
/// @param peerQueuePairs the peer's, in the same order
/// @param mtu payload bytes of a packet
/// @param ringSlots control messages that may be under way in each direction
/// @param slotBytes the longest control message
/// @param sendDepth work requests that this end may have outstanding on each queue pair; not negotiated
/// @param receiveDepth contents that may be under way on each lane in each direction
/// @param maxWriteBytes the largest single write; a longer content is cut into several
/// @param stripeBytes a content of so many bytes goes over all lanes; `Long.MAX_VALUE` for none
/// @param readsAtOnce RDMA READs that one lane has outstanding at most, in each direction; 0 where there are none
/// @param piecesAtOnce pieces of one content that the peer may have named to this end and not got yet, as this end has
///     said, 0 to 255
/// @param peerPieces pieces of one content that this end may have named to the peer and not got yet, as the peer says,
///     0 to 255. 0: memory is named to it for contents as a whole only
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

    /// Data queue pairs, 1 to 64.
    public int lanes() {
        return queuePairs.size() - 1;
    }
}
