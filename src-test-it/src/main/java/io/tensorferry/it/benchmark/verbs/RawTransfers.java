package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.Transfer;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.device.WorkStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;

/// The loops that are measured, as perftest has them: post as deep as agreed, one doorbell for each list of work
/// requests, and poll without a pause. For one thread.
final class RawTransfers {
    // As many completions as perftest takes at a time.
    private static final int POLL_BATCH = 16;
    private static final int LANE_SHIFT = 32;
    private static final long NUMBER_MASK = (1L << LANE_SHIFT) - 1;
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final List<QueuePair> queuePairs;
    private final CompletionQueue completions;
    private final MemorySegment memory;
    private final long half;
    private final int localKey;
    private final RawAddress peer;
    private final SendWorkRequest request = new SendWorkRequest();
    private final long[] posted;
    private final long[] completed;
    private long allCompleted;

    /// @param endpoint connected to `peer`
    RawTransfers(RawEndpoint endpoint, RawAddress peer) {
        this.queuePairs = endpoint.queuePairs();
        this.posted = new long[queuePairs.size()];
        this.completed = new long[queuePairs.size()];
        this.completions = endpoint.completions();
        this.memory = endpoint.memory();
        this.half = endpoint.half();
        this.localKey = endpoint.localKey();
        this.peer = peer;
    }

    /// Moves at least `count` times `bytes` bytes between the peer's memory and this process's: fills one send queue
    /// after the other, then polls once, and so on.
    Transfer throughput(Operation operation, long bytes, int count, Queues queues) {
        Posting posting = Posting.of(bytes, queues);
        int perLane = posting.countPerLane(count);
        prepare(operation, bytes);
        int lanes = queues.lanes();
        Arrays.fill(completed, 0, lanes, 0);
        Arrays.fill(posted, 0, lanes, 0);
        long all = (long) perLane * lanes;
        allCompleted = 0;
        long start = System.nanoTime();
        while (allCompleted < all) {
            for (int lane = 0; lane < lanes; lane++) {
                while (posted[lane] < perLane
                        && posted[lane] + posting.queues().list() - completed[lane] <= posting.depth()) {
                    postList(lane, posting, perLane);
                }
            }
            completions.poll(POLL_BATCH, this::onCompletion);
        }
        return Transfer.ofThroughput((int) all, bytes * all, System.nanoTime() - start);
    }

    private void postList(int lane, Posting posting, int perLane) {
        QueuePair queuePair = queuePairs.get(lane);
        for (int i = 0; i < posting.queues().list(); i++) {
            long number = ++posted[lane];
            request.workId = workId(lane, number);
            request.signaled = number % posting.signalEvery() == 0 || number == perLane;
            queuePair.prepareSend(request);
        }
        queuePair.submitSends();
    }

    private static long workId(int lane, long number) {
        return (long) lane << LANE_SHIFT | number;
    }

    /// Reads `count` times `bytes` bytes of the peer's memory, one after the other.
    Transfer readLatency(long bytes, int count) {
        prepare(Operation.READ, bytes);
        Histogram latenciesNs = Transfer.emptyHistogram();
        completed[0] = 0;
        long start = System.nanoTime();
        long before = start;
        for (long number = 1; number <= count; number++) {
            post(number);
            long now = System.nanoTime();
            latenciesNs.recordValue(now - before);
            before = now;
        }
        return new Transfer(count, bytes * count, before - start, latenciesNs);
    }

    /// Forgets what was written here before. To be called on both sides before [#ping] and [#pong].
    void resetMark(long bytes) {
        BYTE.setVolatile(memory, half + bytes - 1, (byte) 0);
    }

    /// Writes, waits until the peer has written back, and so on; half of the time is one latency.
    Transfer ping(long bytes, int count) {
        prepare(Operation.WRITE, bytes);
        Histogram latenciesNs = Transfer.emptyHistogram();
        completed[0] = 0;
        long start = System.nanoTime();
        long before = start;
        for (long round = 1; round <= count; round++) {
            memory.set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) round);
            post(round);
            awaitMark(bytes, round);
            long now = System.nanoTime();
            latenciesNs.recordValue((now - before) / 2);
            before = now;
        }
        return new Transfer(count, bytes * count, before - start, latenciesNs);
    }

    /// The other side of [#ping].
    void pong(long bytes, int count) {
        prepare(Operation.WRITE, bytes);
        completed[0] = 0;
        for (long round = 1; round <= count; round++) {
            awaitMark(bytes, round);
            memory.set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) round);
            post(round);
        }
    }

    private void prepare(Operation operation, long bytes) {
        switch (operation) {
            case WRITE -> request.write(0, memory.address(), bytes, localKey, peer.memory() + half, peer.remoteKey());
            case READ -> request.read(0, memory.address() + half, bytes, localKey, peer.memory(), peer.remoteKey());
        }
    }

    private void post(long number) {
        request.workId = workId(0, number);
        request.signaled = true;
        queuePairs.getFirst().postSend(request);
        while (completed[0] < number) {
            completions.poll(1, this::onCompletion);
        }
    }

    /// The last byte of a message arrives last.
    private void awaitMark(long bytes, long round) {
        while ((byte) BYTE.getVolatile(memory, half + bytes - 1) != (byte) round) {
            Thread.onSpinWait();
        }
    }

    private void onCompletion(WorkCompletion completion) {
        if (completion.status() != WorkStatus.SUCCESS) {
            throw new IllegalStateException("work request " + completion.workId() + " failed: " + completion.status());
        }
        int lane = (int) (completion.workId() >>> LANE_SHIFT);
        long number = completion.workId() & NUMBER_MASK;
        allCompleted += number - completed[lane];
        completed[lane] = number;
    }
}
