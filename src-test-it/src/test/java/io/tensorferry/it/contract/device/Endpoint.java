package io.tensorferry.it.contract.device;

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

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.CompletionChannel;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAddress;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/// One end of a connection: everything from the protection domain to the queue pair, and what completed on it.
final class Endpoint implements AutoCloseable {
    static final int ALL_ACCESS = QueuePairAttributes.ACCESS_REMOTE_WRITE | QueuePairAttributes.ACCESS_REMOTE_READ;

    /// What a test may want otherwise than usual.
    static final class Settings {
        long bytes = 64 * 1024;
        int sendDepth = 64;
        int receiveDepth = 64;
        int completionEntries = 256;
        int inlineBytes = 0;
        int access = ALL_ACCESS;
        Set<AccessFlag> regionAccess = EnumSet.allOf(AccessFlag.class);
        int minRnrTimer = 12;
        int rnrRetry = 7;
        int timeout = 14;
        int retryCount = 2;
        int maxReads = 1;
        int sendSequence = 0xFF_FFF0; // so that it wraps soon
        int receiveSequence = 0xFF_FFF0;
    }

    final VerbsDevice device;
    final Settings settings;
    final DevicePairFixture fixture;
    final ProtectionDomain domain;
    final CompletionChannel channel;
    final CompletionQueue completions;
    final QueuePair queuePair;
    final MemorySegment memory;
    final MemoryRegion region;
    final List<Completion> completed = new ArrayList<>();
    final Queue<AsyncEvent> events = new ConcurrentLinkedQueue<>();
    private final SendWorkRequest request = new SendWorkRequest();
    private final Arena arena = Arena.ofShared();

    Endpoint(DevicePairFixture fixture, VerbsDevice device, Settings settings) {
        this.fixture = fixture;
        this.device = device;
        this.settings = settings;
        device.onAsyncEvent(events::add);
        domain = device.allocateProtectionDomain();
        channel = device.createCompletionChannel();
        completions = device.createCompletionQueue(settings.completionEntries, channel);
        queuePair = domain.createQueuePair(new QueuePairOptions(
                completions, completions, settings.sendDepth, settings.receiveDepth, settings.inlineBytes));
        memory = fixture.allocate(domain, arena, settings.bytes);
        region = domain.register(memory, settings.regionAccess);
    }

    QueuePairAttributes toInit() {
        return QueuePairAttributes.to(QueuePairState.INIT)
                .set(PKEY_INDEX, 0)
                .set(PORT, fixture.port())
                .set(ACCESS_FLAGS, settings.access);
    }

    /// What a peer must know of this end.
    QueuePairAddress address() {
        return new QueuePairAddress(
                device.port(fixture.port()).lid(),
                queuePair.number(),
                settings.sendSequence,
                device.gid(fixture.port(), fixture.gidIndex()).gid());
    }

    QueuePairAttributes toReadyToReceive(Endpoint peer) {
        return toReadyToReceive(peer.address(), peer.queuePair.number());
    }

    QueuePairAttributes toReadyToReceive(Endpoint peer, int destination) {
        return toReadyToReceive(peer.address(), destination);
    }

    /// @param destination the queue pair's number, instead of the right one
    private QueuePairAttributes toReadyToReceive(QueuePairAddress peer, int destination) {
        var way = new AddressHandle(peer.gid(), peer.lid(), fixture.gidIndex(), 0, 0, 64);
        return QueuePairAttributes.to(QueuePairState.RTR)
                .address(way)
                .set(PATH_MTU, device.port(fixture.port()).activeMtu())
                .set(DEST_QPN, destination)
                .set(RQ_PSN, settings.receiveSequence)
                .set(MAX_DEST_RD_ATOMIC, settings.maxReads)
                .set(MIN_RNR_TIMER, settings.minRnrTimer);
    }

    QueuePairAttributes toReadyToSend() {
        return QueuePairAttributes.to(QueuePairState.RTS)
                .set(SQ_PSN, settings.sendSequence)
                .set(TIMEOUT, settings.timeout)
                .set(RETRY_COUNT, settings.retryCount)
                .set(RNR_RETRY, settings.rnrRetry)
                .set(MAX_RD_ATOMIC, settings.maxReads);
    }

    /// Brings this end to RTS.
    void connect(QueuePairAddress peer) {
        queuePair.modify(toInit());
        queuePair.modify(toReadyToReceive(peer, peer.queuePairNumber()));
        queuePair.modify(toReadyToSend());
    }

    /// Brings both ends to RTS.
    static void connect(Endpoint one, Endpoint other) {
        one.queuePair.modify(one.toInit());
        other.queuePair.modify(other.toInit());
        one.queuePair.modify(one.toReadyToReceive(other));
        other.queuePair.modify(other.toReadyToReceive(one));
        one.queuePair.modify(one.toReadyToSend());
        other.queuePair.modify(other.toReadyToSend());
    }

    void write(long workId, long offset, long length, Endpoint peer, long peerOffset) {
        queuePair.postSend(request.write(
                workId,
                region.address() + offset,
                length,
                region.localKey(),
                peer.region.address() + peerOffset,
                peer.region.remoteKey()));
    }

    void writeUnsignaled(long workId, long offset, long length, Endpoint peer, long peerOffset) {
        request.write(
                workId,
                region.address() + offset,
                length,
                region.localKey(),
                peer.region.address() + peerOffset,
                peer.region.remoteKey());
        request.signaled = false;
        queuePair.postSend(request);
    }

    void writeWithImmediate(long workId, long offset, long length, Endpoint peer, long peerOffset, int immediate) {
        queuePair.postSend(request.writeWithImmediate(
                workId,
                region.address() + offset,
                length,
                region.localKey(),
                peer.region.address() + peerOffset,
                peer.region.remoteKey(),
                immediate));
    }

    /// A write of no bytes that names no memory on either side.
    void signal(long workId, int immediate) {
        queuePair.postSend(request.writeWithImmediate(workId, 0, 0, 0, 0, 0, immediate));
    }

    void read(long workId, long offset, long length, Endpoint peer, long peerOffset) {
        queuePair.postSend(request.read(
                workId,
                region.address() + offset,
                length,
                region.localKey(),
                peer.region.address() + peerOffset,
                peer.region.remoteKey()));
    }

    void send(long workId, long offset, long length) {
        queuePair.postSend(request.send(workId, region.address() + offset, length, region.localKey()));
    }

    void sendWithImmediate(long workId, long offset, long length, int immediate) {
        request.send(workId, region.address() + offset, length, region.localKey());
        request.opcode = SendWorkRequest.Opcode.SEND_WITH_IMM;
        request.immediate = immediate;
        queuePair.postSend(request);
    }

    void receive(long workId, long offset, long length) {
        queuePair.postReceive(workId, region.address() + offset, length, region.localKey());
    }

    int poll() {
        return completions.poll(64, cursor -> completed.add(Completion.of(cursor)));
    }

    /// Waits until `count` completions were polled since the start.
    boolean polled(int count) {
        while (poll() > 0) {
            // In a simulation, no later event may cause another poll.
        }
        return completed.size() >= count;
    }

    @Override
    public void close() {
        queuePair.close();
        completions.close();
        channel.close();
        region.close();
        domain.close();
        arena.close();
    }
}
