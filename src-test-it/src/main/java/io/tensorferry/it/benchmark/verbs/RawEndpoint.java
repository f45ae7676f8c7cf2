package io.tensorferry.it.benchmark.verbs;

import static io.tensorferry.verbs.device.QueuePairAttribute.ACCESS_FLAGS;
import static io.tensorferry.verbs.device.QueuePairAttribute.DEST_QPN;
import static io.tensorferry.verbs.device.QueuePairAttribute.MAX_DEST_RD_ATOMIC;
import static io.tensorferry.verbs.device.QueuePairAttribute.MAX_RD_ATOMIC;
import static io.tensorferry.verbs.device.QueuePairAttribute.MIN_RNR_TIMER;
import static io.tensorferry.verbs.device.QueuePairAttribute.PATH_MTU;
import static io.tensorferry.verbs.device.QueuePairAttribute.PKEY_INDEX;
import static io.tensorferry.verbs.device.QueuePairAttribute.PORT;
import static io.tensorferry.verbs.device.QueuePairAttribute.RETRY_COUNT;
import static io.tensorferry.verbs.device.QueuePairAttribute.RNR_RETRY;
import static io.tensorferry.verbs.device.QueuePairAttribute.RQ_PSN;
import static io.tensorferry.verbs.device.QueuePairAttribute.SQ_PSN;
import static io.tensorferry.verbs.device.QueuePairAttribute.TIMEOUT;

import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.PortAttributes.LinkLayer;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAddress;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.choice.ChosenPort;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/// One end of the raw pair: queue pairs with receives for immediates, their completion queue, and registered memory of
/// two halves. Both processes read from the first half and write to the second. Behind the halves are a flag that is
/// sent and a flag that is received. For one thread.
final class RawEndpoint implements AutoCloseable {
    private static final int PAGE = 4096;
    private static final int FLAG_BYTES = 64;
    // A message may take two work requests.
    private static final int SENDS = 2 * Posting.DEEPEST;
    private static final int RECEIVES = 2 * Posting.DEEPEST;
    private static final int LANE_SHIFT = 32;
    private static final int SEQUENCES = 1 << 24;
    private static final int HOP_LIMIT = 64;
    private static final int ACCESS = QueuePairAttributes.ACCESS_REMOTE_WRITE | QueuePairAttributes.ACCESS_REMOTE_READ;
    // The value that ib_write_bw sets.
    private static final int RNR_TIMER = 12;
    private static final int RNR_RETRIES = 7;

    private final ChosenPort port;
    private final RdmaConfig config;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final long half;
    private final ProtectionDomain domain;
    private final MemoryRegion region;
    private final CompletionQueue completions;
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final int sequence = ThreadLocalRandom.current().nextInt(SEQUENCES);

    /// @param port this endpoint closes its device
    /// @param bytes the size of each half
    /// @param lanes the number of queue pairs
    RawEndpoint(ChosenPort port, RdmaConfig config, long bytes, int lanes) {
        this.port = port;
        this.config = config;
        // Touches every page, so that no transfer has to.
        this.half = (bytes + FLAG_BYTES - 1) / FLAG_BYTES * FLAG_BYTES;
        this.memory = arena.allocate(2 * half + 2 * FLAG_BYTES, PAGE).fill((byte) 42);
        this.domain = port.device().allocateProtectionDomain();
        this.region = domain.register(memory, EnumSet.allOf(AccessFlag.class));
        this.completions = port.device().createCompletionQueue((SENDS + RECEIVES) * lanes, null);
        for (int lane = 0; lane < lanes; lane++) {
            queuePairs.add(domain.createQueuePair(new QueuePairOptions(completions, completions, SENDS, RECEIVES)));
        }
    }

    RawAddress address() {
        boolean routed = port.attributes().linkLayer() != LinkLayer.INFINIBAND;
        List<QueuePairAddress> own = queuePairs.stream()
                .map(each -> new QueuePairAddress(
                        port.attributes().lid(),
                        each.number(),
                        sequence,
                        port.gid().gid()))
                .toList();
        return new RawAddress(
                port.device().name(),
                port.portNumber(),
                port.gid().index(),
                routed,
                port.mtu(),
                own,
                region.address(),
                region.remoteKey());
    }

    /// @param peer the queue pairs of the other end, as many as here
    void connect(List<QueuePairAddress> peer) {
        for (int lane = 0; lane < queuePairs.size(); lane++) {
            connect(queuePairs.get(lane), peer.get(lane));
            for (int i = 0; i < RECEIVES; i++) {
                queuePairs.get(lane).postReceive((long) lane << LANE_SHIFT);
            }
        }
    }

    private void connect(QueuePair queuePair, QueuePairAddress peer) {
        int reads = Math.min(
                port.device().attributes().maxReadsAsTarget(),
                port.device().attributes().maxReadsAsInitiator());
        queuePair.modify(QueuePairAttributes.to(QueuePairState.INIT)
                .set(PKEY_INDEX, config.pkeyIndex())
                .set(PORT, port.portNumber())
                .set(ACCESS_FLAGS, ACCESS));
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR)
                .address(new AddressHandle(
                        peer.gid(),
                        peer.lid(),
                        port.gid().index(),
                        config.serviceLevel(),
                        config.trafficClass(),
                        HOP_LIMIT))
                .set(PATH_MTU, port.mtu())
                .set(DEST_QPN, peer.queuePairNumber())
                .set(RQ_PSN, peer.packetSequenceNumber())
                .set(MAX_DEST_RD_ATOMIC, reads)
                .set(MIN_RNR_TIMER, RNR_TIMER));
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS)
                .set(SQ_PSN, sequence)
                .set(TIMEOUT, config.timeout())
                .set(RETRY_COUNT, config.retryCount())
                .set(RNR_RETRY, RNR_RETRIES)
                .set(MAX_RD_ATOMIC, reads));
    }

    List<QueuePair> queuePairs() {
        return queuePairs;
    }

    CompletionQueue completions() {
        return completions;
    }

    int localKey() {
        return region.localKey();
    }

    MemorySegment memory() {
        return memory;
    }

    /// The offset of the second half; the same at the peer.
    long half() {
        return half;
    }

    /// The offset of the flag to send; the same at the peer.
    long sentFlag() {
        return 2 * half;
    }

    /// The offset of the received flag.
    long flag() {
        return 2 * half + FLAG_BYTES;
    }

    /// The source of a message of `bytes` bytes, sent from here or read by the peer.
    MemorySegment sent(long bytes) {
        return memory.asSlice(0, bytes);
    }

    /// The target of a message of `bytes` bytes.
    MemorySegment received(long bytes) {
        return memory.asSlice(half(), bytes);
    }

    @Override
    public void close() {
        queuePairs.forEach(QueuePair::close);
        completions.close();
        region.close();
        domain.close();
        port.device().close();
        arena.close();
    }
}
