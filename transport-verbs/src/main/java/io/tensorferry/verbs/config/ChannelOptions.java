package io.tensorferry.verbs.config;

import io.tensorferry.verbs.device.VerbsDevice;
import java.time.Duration;

/// Options for setting up and monitoring channels. Immutable.
///
/// @param lanes data queue pairs per peer, 1 to 64, or 0 to derive the number from the device ([#lanesOn]); the smaller
///     number of both ends is used
/// @param ringSlots control messages in flight per direction, a power of two, 16 to 65,536
/// @param slotBytes bytes of the largest control message, a multiple of 64, 4,096 to 65,536; bounds the length of
///     rendezvous keys
/// @param keepaliveInterval an end that has sent nothing for this time sends a keepalive
/// @param peerTimeout a peer that has sent nothing for this time is considered dead; longer than its keepalive interval
/// @param connectTimeout time to set up a channel before the receives that wait for it fail
/// @param reconnectTimeout time to set up a channel to a peer that was reached before, and for requests whose channel
///     was lost; short, so that a dead peer is reported early
/// @param spin maximum time that the loop polls without a result before it sleeps; the loop shortens it when spinning
///     has not paid off. 0 disables spinning
/// @param stripeBytes tensors of at least this many bytes are striped over all lanes, 4,096 or more; the larger value
///     of both ends is used. `Long.MAX_VALUE` disables striping
/// @param readsAtOnce maximum outstanding RDMA READs per lane, 0 to 255; the limits of the device and of the peer also
///     apply. 0 disables RDMA READ, and with it dynamic edges and partitioned tensors
/// @param posting how work requests are posted to the device
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
    /// Fits the metadata of a tensor of the highest rank together with a rendezvous key of 2,000 bytes.
    public static final int MIN_SLOT_BYTES = 4096;
    public static final int MAX_SLOT_BYTES = 1 << 16;
    /// Ensures that a striped content has bytes for each lane.
    public static final long MIN_STRIPE_BYTES = 4096;
    /// The queue pair attribute is 8 bits wide.
    public static final int MAX_READS_AT_ONCE = 255;
    /// The maximum number of memory pieces of one content that an end keeps for its peer.
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

    /// Returns the number of data queue pairs per peer on this device: [#lanes], or a default if that is 0.
    ///
    /// The default is 1 where this machine's processors do the work. On a card it is 4, limited to the number of
    /// completion vectors: a card processes several queue pairs in parallel, and bonded ports and multipath switches
    /// distribute traffic by queue pair.
    public int lanesOn(VerbsDevice device) {
        if (lanes > 0) {
            return lanes;
        }
        return device.description().isHardware() ? Math.min(HARDWARE_LANES, device.completionVectors()) : 1;
    }

    /// Uses the default striping threshold, number of reads and posting options.
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

    /// Returns a copy with other [#posting] options.
    public ChannelOptions withPosting(PostingOptions changed) {
        return with(lanes, spin, stripeBytes, readsAtOnce, changed);
    }

    /// Returns a copy with another number of [#lanes].
    public ChannelOptions withLanes(int changed) {
        return with(changed, spin, stripeBytes, readsAtOnce, posting);
    }

    /// Returns a copy with another [#spin].
    public ChannelOptions withSpin(Duration changed) {
        return with(lanes, changed, stripeBytes, readsAtOnce, posting);
    }

    /// Returns a copy with another [#stripeBytes].
    public ChannelOptions withStripeBytes(long changed) {
        return with(lanes, spin, changed, readsAtOnce, posting);
    }

    /// Returns a copy with another [#readsAtOnce].
    public ChannelOptions withReadsAtOnce(int changed) {
        return with(lanes, spin, stripeBytes, changed, posting);
    }

    /// Returns a copy with another [#connectTimeout] and another [#reconnectTimeout].
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
