package io.tensorferry.verbs.config;

import io.tensorferry.verbs.device.VerbsDevice;
import java.time.Duration;

/// How channels are made and watched. Immutable.
///
/// @param lanes data queue pairs per peer, 1 to 64, or 0 for what suits the device ([#lanesOn]); the smaller number of
///     both ends is used
/// @param ringSlots control messages under way per direction, a power of two, 16 to 65,536
/// @param slotBytes the largest control message: a multiple of 64, 4,096 to 65,536 bytes; it bounds the length of
///     rendezvous keys
/// @param keepaliveInterval an end that has sent nothing for so long says that it lives
/// @param peerTimeout a peer that was silent for so long is dead; longer than its keepalive interval
/// @param connectTimeout how long the set-up of a channel is tried before the receives that wait for it fail
/// @param reconnectTimeout the same for a peer that had been reached before, and for requests whose channel was lost:
///     short, so that a dead peer is told soon
/// @param spin how long the loop polls in vain, at most, before it sleeps; less where that has not paid. 0 never to
///     spin
/// @param stripeBytes a tensor of so many bytes goes over all lanes, 4,096 or more; the larger of both ends' is used,
///     and `Long.MAX_VALUE` is for none
/// @param readsAtOnce RDMA READs that one lane has outstanding at most, 0 to 255; less where a device or the other end
///     takes less. 0 for none: then neither dynamic edges nor partitioned tensors can be used
/// @param posting how work is handed to the device
public record ChannelOptions(
        int lanes,
        int ringSlots,
        int slotBytes,
        Duration keepaliveInterval,
        Duration peerTimeout,
        Duration connectTimeout,
        Duration reconnectTimeout,
        Duration spin,
        long stripeBytes,
        int readsAtOnce,
        PostingOptions posting) {
    public static final int MAX_LANES = 64;
    public static final int MIN_RING_SLOTS = 16;
    public static final int MAX_RING_SLOTS = 1 << 16;
    /// Holds the metadata of a tensor of the highest rank, and a rendezvous key of 2,000 bytes beside it.
    public static final int MIN_SLOT_BYTES = 4096;
    public static final int MAX_SLOT_BYTES = 1 << 16;
    /// A striped content has bytes for each lane.
    public static final long MIN_STRIPE_BYTES = 4096;
    /// The width of the queue pair's field, 8 bits.
    public static final int MAX_READS_AT_ONCE = 255;
    /// Bounds the pieces of memory of one content that an end remembers for its peer.
    public static final int MAX_PIECES_AT_ONCE = 255;

    private static final long DEFAULT_STRIPE_BYTES = 1 << 20;
    private static final int HARDWARE_LANES = 4;

    /// @throws IllegalArgumentException naming the option that is out of its range
    public ChannelOptions {
        require(lanes >= 0 && lanes <= MAX_LANES, "lanes", lanes, "0..64");
        require(
                Integer.bitCount(ringSlots) == 1 && ringSlots >= MIN_RING_SLOTS && ringSlots <= MAX_RING_SLOTS,
                "ringSlots",
                ringSlots,
                "a power of two, 16..65536");
        require(
                slotBytes % 64 == 0 && slotBytes >= MIN_SLOT_BYTES && slotBytes <= MAX_SLOT_BYTES,
                "slotBytes",
                slotBytes,
                "a multiple of 64, 4096..65536");
        require(keepaliveInterval.isPositive(), "keepaliveInterval", keepaliveInterval, "positive");
        require(
                peerTimeout.compareTo(keepaliveInterval) > 0,
                "peerTimeout",
                peerTimeout,
                "longer than keepaliveInterval, " + keepaliveInterval);
        require(connectTimeout.isPositive(), "connectTimeout", connectTimeout, "positive");
        require(reconnectTimeout.isPositive(), "reconnectTimeout", reconnectTimeout, "positive");
        require(!spin.isNegative(), "spin", spin, "0 or more");
        require(stripeBytes >= MIN_STRIPE_BYTES, "stripeBytes", stripeBytes, MIN_STRIPE_BYTES + " or more");
        require(
                readsAtOnce >= 0 && readsAtOnce <= MAX_READS_AT_ONCE,
                "readsAtOnce",
                readsAtOnce,
                "0.." + MAX_READS_AT_ONCE);
    }

    /// Data queue pairs per peer on this device: [#lanes], or what suits the device. That is one where processors of
    /// this
    /// machine do the work; on a card 4, but no more than it has completion vectors: a card works on several queue
    /// pairs at once, and bonded ports and switches with several ways choose among them by the queue pair.
    public int lanesOn(VerbsDevice device) {
        if (lanes > 0) {
            return lanes;
        }
        return device.description().isHardware() ? Math.min(HARDWARE_LANES, device.completionVectors()) : 1;
    }

    /// With the default threshold for all lanes, and the default way of posting.
    public ChannelOptions(
            int lanes,
            int ringSlots,
            int slotBytes,
            Duration keepaliveInterval,
            Duration peerTimeout,
            Duration connectTimeout,
            Duration reconnectTimeout,
            Duration spin) {
        this(
                lanes,
                ringSlots,
                slotBytes,
                keepaliveInterval,
                peerTimeout,
                connectTimeout,
                reconnectTimeout,
                spin,
                DEFAULT_STRIPE_BYTES,
                MAX_READS_AT_ONCE,
                PostingOptions.defaults());
    }

    /// The same with another way of posting.
    public ChannelOptions withPosting(PostingOptions changed) {
        return with(lanes, spin, stripeBytes, readsAtOnce, changed);
    }

    /// The same with another number of [#lanes].
    public ChannelOptions withLanes(int changed) {
        return with(changed, spin, stripeBytes, readsAtOnce, posting);
    }

    /// The same with another [#spin].
    public ChannelOptions withSpin(Duration changed) {
        return with(lanes, changed, stripeBytes, readsAtOnce, posting);
    }

    /// The same with another size from which a tensor goes over all lanes.
    public ChannelOptions withStripeBytes(long changed) {
        return with(lanes, spin, changed, readsAtOnce, posting);
    }

    /// The same with another number of [#readsAtOnce].
    public ChannelOptions withReadsAtOnce(int changed) {
        return with(lanes, spin, stripeBytes, changed, posting);
    }

    /// The same with another [#connectTimeout] and another [#reconnectTimeout].
    public ChannelOptions withTimeouts(Duration connect, Duration reconnect) {
        return new ChannelOptions(
                lanes,
                ringSlots,
                slotBytes,
                keepaliveInterval,
                peerTimeout,
                connect,
                reconnect,
                spin,
                stripeBytes,
                readsAtOnce,
                posting);
    }

    private ChannelOptions with(
            int otherLanes,
            Duration otherSpin,
            long otherStripeBytes,
            int otherReadsAtOnce,
            PostingOptions otherPosting) {
        return new ChannelOptions(
                otherLanes,
                ringSlots,
                slotBytes,
                keepaliveInterval,
                peerTimeout,
                connectTimeout,
                reconnectTimeout,
                otherSpin,
                otherStripeBytes,
                otherReadsAtOnce,
                otherPosting);
    }

    public static ChannelOptions defaults() {
        return new ChannelOptions(
                0,
                256,
                4096,
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(3),
                Duration.ofNanos(20_000));
    }

    public static void require(boolean condition, String name, Object value, String range) {
        if (!condition) {
            throw new IllegalArgumentException(name + " " + value + " must be " + range);
        }
    }
}
