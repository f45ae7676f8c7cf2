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

/// The measured loops, with the structure of perftest's: they post to the configured depth, ring one doorbell for each
/// list of work requests, and poll without a pause. For one thread.
final class RawTransfers {
    // The number of completions that perftest polls at a time.
    private static final int POLL_BATCH = 16;
    private static final int LANE_SHIFT = 32;
    private static final long NUMBER_MASK = (1L << LANE_SHIFT) - 1;
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final List<QueuePair> queuePairs;
    private final CompletionQueue completions;
    private final MemorySegment memory;
    private final long half;
    private final long sentFlag;
    private final long flag;
    private final int localKey;
    private final RawAddress peer;
    private final SendWorkRequest request = new SendWorkRequest();
    private final SendWorkRequest flagRequest = new SendWorkRequest();
    private Operation operation = Operation.WRITE;
    private final long[] posted;
    private final long[] completed;
    private long allCompleted;
    // Messages whose immediate has arrived.
    private long arrived;

    /// @param endpoint connected to `peer`
    RawTransfers(RawEndpoint endpoint, RawAddress peer) {
        this.queuePairs = endpoint.queuePairs();
        this.posted = new long[queuePairs.size()];
        this.completed = new long[queuePairs.size()];
        this.completions = endpoint.completions();
        this.memory = endpoint.memory();
        this.half = endpoint.half();
        this.sentFlag = endpoint.sentFlag();
        this.flag = endpoint.flag();
        this.localKey = endpoint.localKey();
        this.peer = peer;
    }

    /// Moves at least `count` messages of `bytes` bytes between the peer's memory and this process'. Alternates between
    /// filling all send queues and polling once.
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
            boolean signaled = number % posting.signalEvery() == 0 || number == perLane;
            prepare(queuePair, workId(lane, number), signaled);
        }
        queuePair.submitSends();
    }

    /// Prepares one message.
    private void prepare(QueuePair queuePair, long workId, boolean signaled) {
        SendWorkRequest last = request;
        if (operation == Operation.WRITE_AND_FLAG) {
            request.workId = workId;
            request.signaled = false;
            queuePair.prepareSend(request);
            last = flagRequest;
        }
        last.workId = workId;
        last.signaled = signaled;
        queuePair.prepareSend(last);
    }

    /// Takes the immediates that [#throughput] of the peer sends.
    void takeImmediates(long bytes, int count, Queues queues) {
        Posting posting = Posting.of(bytes, queues);
        long all = (long) posting.countPerLane(count) * queues.lanes();
        while (arrived < all) {
            completions.poll(POLL_BATCH, this::onCompletion);
        }
    }

    private static long workId(int lane, long number) {
        return (long) lane << LANE_SHIFT | number;
    }

    /// Reads `count` messages of `bytes` bytes from the peer's memory in sequence.
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

    /// Resets the memory that marks an arrival. Both sides call this before [#ping] and [#pong], and before
    /// [#takeImmediates].
    void resetMark(long bytes) {
        BYTE.setVolatile(memory, half + bytes - 1, (byte) 0);
        LONG.setVolatile(memory, flag, 0L);
        arrived = 0;
    }

    /// Alternates between writing and waiting for the peer's write; half of each round trip is one latency.
    Transfer ping(Operation write, long bytes, int count) {
        prepare(write, bytes);
        Histogram latenciesNs = Transfer.emptyHistogram();
        completed[0] = 0;
        long start = System.nanoTime();
        long before = start;
        for (long round = 1; round <= count; round++) {
            mark(bytes, round);
            post(round);
            awaitMark(bytes, round);
            long now = System.nanoTime();
            latenciesNs.recordValue((now - before) / 2);
            before = now;
        }
        return new Transfer(count, bytes * count, before - start, latenciesNs);
    }

    /// The counterpart of [#ping].
    void pong(Operation write, long bytes, int count) {
        prepare(write, bytes);
        completed[0] = 0;
        for (long round = 1; round <= count; round++) {
            awaitMark(bytes, round);
            mark(bytes, round);
            post(round);
        }
    }

    private void prepare(Operation next, long bytes) {
        operation = next;
        switch (next) {
            case WRITE -> request.write(0, memory.address(), bytes, localKey, peer.memory() + half, peer.remoteKey());
            case WRITE_WITH_IMMEDIATE ->
                request.writeWithImmediate(
                        0, memory.address(), bytes, localKey, peer.memory() + half, peer.remoteKey(), 1);
            case WRITE_AND_FLAG -> {
                request.write(0, memory.address(), bytes, localKey, peer.memory() + half, peer.remoteKey());
                flagRequest.write(
                        0, memory.address() + sentFlag, Long.BYTES, localKey, peer.memory() + flag, peer.remoteKey());
            }
            case READ -> request.read(0, memory.address() + half, bytes, localKey, peer.memory(), peer.remoteKey());
        }
    }

    private void post(long number) {
        QueuePair queuePair = queuePairs.getFirst();
        prepare(queuePair, workId(0, number), true);
        queuePair.submitSends();
        while (completed[0] < number) {
            completions.poll(1, this::onCompletion);
        }
    }

    private void mark(long bytes, long round) {
        memory.set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) round);
        memory.set(ValueLayout.JAVA_LONG, sentFlag, round);
    }

    private void awaitMark(long bytes, long round) {
        switch (operation) {
            case WRITE_WITH_IMMEDIATE -> {
                while (arrived < round) {
                    completions.poll(1, this::onCompletion);
                }
            }
            case WRITE_AND_FLAG -> {
                while ((long) LONG.getVolatile(memory, flag) != round) {
                    Thread.onSpinWait();
                }
            }
            // The last byte of a message arrives last.
            case WRITE, READ -> {
                while ((byte) BYTE.getVolatile(memory, half + bytes - 1) != (byte) round) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private void onCompletion(WorkCompletion completion) {
        if (completion.status() != WorkStatus.SUCCESS) {
            throw new IllegalStateException("work request " + completion.workId() + " failed: " + completion.status());
        }
        int lane = (int) (completion.workId() >>> LANE_SHIFT);
        if (completion.hasImmediate()) {
            arrived++;
            queuePairs.get(lane).postReceive(completion.workId());
            return;
        }
        long number = completion.workId() & NUMBER_MASK;
        allCompleted += number - completed[lane];
        completed[lane] = number;
    }
}
