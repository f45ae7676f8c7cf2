package io.tensorferry.verbs.device.software;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.WorkStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/// One end of a connection for tests of features that only the software device has.
public final class SoftwareEnd implements AutoCloseable {
    public final VerbsDevice device;
    public final ProtectionDomain domain;
    public final CompletionQueue completions;
    public final QueuePair queuePair;
    public final MemorySegment memory;
    public final MemoryRegion region;
    /// The work ids and statuses of the completions, in order.
    public final List<Long> workIds = new ArrayList<>();

    public final List<WorkStatus> statuses = new ArrayList<>();
    public final List<AsyncEvent> events = new CopyOnWriteArrayList<>();
    private final SendWorkRequest request = new SendWorkRequest();
    private final Arena arena = Arena.ofShared();

    public SoftwareEnd(VerbsDevice device, long bytes, int completionEntries) {
        this.device = device;
        device.onAsyncEvent(events::add);
        domain = device.allocateProtectionDomain();
        completions = device.createCompletionQueue(completionEntries, null);
        queuePair = domain.createQueuePair(new QueuePairOptions(completions, completions, 64, 64));
        memory = domain.allocate(arena, bytes, 64);
        region = domain.register(memory, EnumSet.allOf(AccessFlag.class));
    }

    public static void connect(SoftwareEnd one, SoftwareEnd other) {
        one.connectTo(other);
        other.connectTo(one);
        one.readyToSend();
        other.readyToSend();
    }

    public void connectTo(SoftwareEnd peer) {
        queuePair.modify(QueuePairAttributes.to(QueuePairState.INIT)
                .set(QueuePairAttribute.PKEY_INDEX, 0)
                .set(QueuePairAttribute.PORT, 1)
                .set(
                        QueuePairAttribute.ACCESS_FLAGS,
                        QueuePairAttributes.ACCESS_REMOTE_WRITE | QueuePairAttributes.ACCESS_REMOTE_READ));
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR)
                .address(new AddressHandle(
                        peer.device.gid(1, 0).gid(), peer.device.port(1).lid(), 0, 0, 0, 64))
                .set(QueuePairAttribute.PATH_MTU, 1024)
                .set(QueuePairAttribute.DEST_QPN, peer.queuePair.number())
                .set(QueuePairAttribute.RQ_PSN, 77)
                .set(QueuePairAttribute.MAX_DEST_RD_ATOMIC, 4)
                .set(QueuePairAttribute.MIN_RNR_TIMER, 12));
    }

    public void readyToSend() {
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS)
                .set(QueuePairAttribute.SQ_PSN, 77)
                .set(QueuePairAttribute.TIMEOUT, 14)
                .set(QueuePairAttribute.RETRY_COUNT, 7)
                .set(QueuePairAttribute.RNR_RETRY, 7)
                .set(QueuePairAttribute.MAX_RD_ATOMIC, 4));
    }

    public void write(long workId, long length, SoftwareEnd peer) {
        queuePair.postSend(request.write(
                workId, region.address(), length, region.localKey(), peer.region.address(), peer.region.remoteKey()));
    }

    public void writeWithImmediate(long workId, long length, SoftwareEnd peer, int immediate) {
        queuePair.postSend(request.writeWithImmediate(
                workId,
                region.address(),
                length,
                region.localKey(),
                peer.region.address(),
                peer.region.remoteKey(),
                immediate));
    }

    public void read(long workId, long length, SoftwareEnd peer) {
        queuePair.postSend(request.read(
                workId, region.address(), length, region.localKey(), peer.region.address(), peer.region.remoteKey()));
    }

    /// Polls, and returns whether `count` completions have arrived since the start.
    public boolean polled(int count) {
        completions.poll(64, cursor -> {
            workIds.add(cursor.workId());
            statuses.add(cursor.status());
        });
        return workIds.size() >= count;
    }

    /// Waits in real time; the timeout of the test, which interrupts, is the limit.
    public void await(int count) {
        await(() -> polled(count), count + " completions");
    }

    /// Waits in real time; the timeout of the test, which interrupts, is the limit.
    public void await(BooleanSupplier condition, String what) {
        while (!condition.getAsBoolean()) {
            if (Thread.interrupted()) {
                throw new AssertionError("no " + what + " in time; so far " + statuses);
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        queuePair.close();
        completions.close();
        region.close();
        domain.close();
        arena.close();
    }
}
