package io.tensorferry.verbs.channel.setup;

import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.device.QueuePairAddress;
import java.util.List;

/// What one end tells the other when a channel is set up. Immutable.
///
/// Bytes that came from a peer are hostile: [#validate()] must have passed before anything here is used.
///
/// @param protocolVersion version of exchange and messages, [#PROTOCOL_VERSION] today
/// @param hostName the sender's worker name, as `/job:worker/replica:0/task:1`
/// @param incarnation a random number that the sender's process chose at its start; another one means that it was
///     restarted
/// @param connectionId a random number that the dialling end chose for this attempt; the answer repeats it
/// @param attempt counts the offers and answers that this end made for this peer, from 1: an offer whose number is
///     not above all that were seen from this incarnation was overtaken on the way and is refused
/// @param queuePairs the control queue pair, then the data lanes in their order
/// @param ring where the receiver of this record writes its control messages: `ringSlots * slotBytes` bytes
/// @param ringSlots message slots of the ring, a power of two
/// @param slotBytes bytes of a slot, a multiple of 64
/// @param receiveDepth receives that are posted on each data lane: contents that may be under way on it at once
/// @param mtu the active MTU of the sender's port, in bytes; the smaller of both ends is used
/// @param maxMessageBytes the largest single write that the sender's device takes (`max_msg_sz`)
/// @param stripeBytes a content of so many bytes goes over all lanes, `Long.MAX_VALUE` for none; the larger of both
///     ends' is used
/// @param readsAtOnce RDMA READs that one data lane of the sender's device has outstanding, and answers, at once; the
///     smaller of both ends' is used. 0: the sender lets nobody read, and reads nothing
/// @param piecesAtOnce pieces of one content that the sender of this record lets its receiver name and has not written
///     yet; not negotiated. 0: its contents are never asked for in pieces
/// @param fabric what the sender's device is connected through, as `roce`; both ends must have the same
public record ConnectionParameters(
        int protocolVersion,
        String hostName,
        long incarnation,
        long connectionId,
        long attempt,
        List<QueuePairAddress> queuePairs,
        RemoteRegion ring,
        int ringSlots,
        int slotBytes,
        int receiveDepth,
        int mtu,
        long maxMessageBytes,
        long stripeBytes,
        int readsAtOnce,
        int piecesAtOnce,
        String fabric) {
    public static final int PROTOCOL_VERSION = 2;
    public static final int MIN_RECEIVE_DEPTH = 32;
    private static final int MAX_FABRIC_LENGTH = 32;
    /// Receives of each queue pair that are kept for acknowledgements, beyond those for which the peer has credits.
    public static final int RESERVED_RECEIVES = 8;

    public ConnectionParameters {
        queuePairs = List.copyOf(queuePairs);
    }

    /// Checks every value against its range.
    ///
    /// @throws IllegalArgumentException naming the first value that is wrong, and its range
    public void validate() {
        require(protocolVersion == PROTOCOL_VERSION, "protocol version", protocolVersion, "" + PROTOCOL_VERSION);
        require(!hostName.isEmpty() && hostName.length() <= 512, "host name length", hostName.length(), "1..512");
        require(attempt >= 1, "attempt", attempt, "1 or more");
        require(
                queuePairs.size() >= 2 && queuePairs.size() <= ChannelOptions.MAX_LANES + 1,
                "number of queue pairs",
                queuePairs.size(),
                "2.." + (ChannelOptions.MAX_LANES + 1));
        require(
                Integer.bitCount(ringSlots) == 1
                        && ringSlots >= ChannelOptions.MIN_RING_SLOTS
                        && ringSlots <= ChannelOptions.MAX_RING_SLOTS,
                "ring slots",
                ringSlots,
                "a power of two, " + ChannelOptions.MIN_RING_SLOTS + ".." + ChannelOptions.MAX_RING_SLOTS);
        require(
                slotBytes % 64 == 0
                        && slotBytes >= ChannelOptions.MIN_SLOT_BYTES
                        && slotBytes <= ChannelOptions.MAX_SLOT_BYTES,
                "slot bytes",
                slotBytes,
                "a multiple of 64, " + ChannelOptions.MIN_SLOT_BYTES + ".." + ChannelOptions.MAX_SLOT_BYTES);
        require(
                receiveDepth >= MIN_RECEIVE_DEPTH && receiveDepth <= 1 << 20,
                "receive depth",
                receiveDepth,
                MIN_RECEIVE_DEPTH + "..1048576");
        require(Integer.bitCount(mtu) == 1 && mtu >= 256 && mtu <= 4096, "mtu", mtu, "256, 512, 1024, 2048, 4096");
        require(maxMessageBytes >= 4096, "largest message", maxMessageBytes, "4096 or more");
        require(
                stripeBytes >= ChannelOptions.MIN_STRIPE_BYTES,
                "stripe bytes",
                stripeBytes,
                ChannelOptions.MIN_STRIPE_BYTES + " or more");
        require(
                readsAtOnce >= 0 && readsAtOnce <= ChannelOptions.MAX_READS_AT_ONCE,
                "reads at once",
                readsAtOnce,
                "0.." + ChannelOptions.MAX_READS_AT_ONCE);
        require(
                piecesAtOnce >= 0 && piecesAtOnce <= ChannelOptions.MAX_PIECES_AT_ONCE,
                "pieces at once",
                piecesAtOnce,
                "0.." + ChannelOptions.MAX_PIECES_AT_ONCE);
        require(
                !fabric.isEmpty() && fabric.length() <= MAX_FABRIC_LENGTH,
                "fabric length",
                fabric.length(),
                "1.." + MAX_FABRIC_LENGTH);
    }

    private static void require(boolean condition, String name, long value, String range) {
        if (!condition) {
            throw new IllegalArgumentException(name + " " + value + " must be " + range);
        }
    }
}
