package io.tensorferry.verbs.channel.setup;

import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.device.QueuePairAddress;
import java.util.List;

/// The parameters that each end sends to the other when a channel is set up. Immutable.
///
/// Bytes from a peer are untrusted: [#validate()] must pass before any value is used.
///
/// @param protocolVersion version of exchange and messages, currently [#PROTOCOL_VERSION]
/// @param hostName the sender's worker name, such as `/job:worker/replica:0/task:1`
/// @param incarnation a random number that the sender's process chose at its start; a different number means that the
/// process was restarted
/// @param connectionId a random number that the dialling end chose for this attempt; the answer repeats it
/// @param attempt counts the offers and answers that this end made for this peer, from 1. An offer whose number is not
/// above all numbers seen from this incarnation was overtaken on the network and is refused
/// @param queuePairs the control queue pair, then the data lanes in order
/// @param ring the region where the receiver of this record writes its control messages: `ringSlots * slotBytes` bytes
/// @param ringSlots message slots of the ring, a power of two
/// @param slotBytes bytes of a slot, a multiple of 64
/// @param receiveDepth receives posted on each data lane, which limits the contents in flight on it
/// @param mtu the active MTU of the sender's port, in bytes; the smaller of both ends is used
/// @param maxMessageBytes the largest single write that the sender's device supports (`max_msg_sz`)
/// @param stripeBytes contents of at least this many bytes use all lanes; `Long.MAX_VALUE` disables striping; the
/// larger of both ends' values is used
/// @param readsAtOnce RDMA READs that one data lane of the sender's device can have outstanding, and can answer, at
/// once; the smaller of both ends' values is used. 0: the sender neither allows nor issues reads
/// @param piecesAtOnce pieces of one content that the sender of this record lets the receiver name before they are
/// written; not negotiated. 0: contents of the sender cannot be requested in pieces
/// @param fabric the fabric of the sender's device, such as `roce`; both ends must have the same
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
    /// Receives of each queue pair reserved for acknowledgements, beyond those for which the peer has credits.
    public static final int RESERVED_RECEIVES = 8;

    public ConnectionParameters {
        queuePairs = List.copyOf(queuePairs);
    }

    /// Checks every value against its range.
    ///
    /// @throws IllegalArgumentException naming the first value that is out of range, and its range
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
