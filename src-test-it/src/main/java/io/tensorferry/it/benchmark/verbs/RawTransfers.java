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
import org.HdrHistogram.Histogram;

/// The loops that are measured, as perftest has them: post as deep as agreed, one doorbell for each work request, and
/// poll without a pause. For one thread.
final class RawTransfers {
    // As many completions as perftest takes at a time.
    private static final int POLL_BATCH = 16;
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final QueuePair queuePair;
    private final CompletionQueue completions;
    private final MemorySegment memory;
    private final long half;
    private final int localKey;
    private final RawAddress peer;
    private final SendWorkRequest request = new SendWorkRequest();
    private long completed;

    /// @param endpoint connected to `peer`
    RawTransfers(RawEndpoint endpoint, RawAddress peer) {
        this.queuePair = endpoint.queuePair();
        this.completions = endpoint.completions();
        this.memory = endpoint.memory();
        this.half = endpoint.half();
        this.localKey = endpoint.localKey();
        this.peer = peer;
    }

    /// Moves `count` times `bytes` bytes between the peer's memory and this process's.
    Transfer throughput(Operation operation, long bytes, int count) {
        Posting posting = Posting.of(bytes);
        prepare(operation, bytes);
        completed = 0;
        long posted = 0;
        long start = System.nanoTime();
        while (completed < count) {
            while (posted < count && posted - completed < posting.depth()) {
                posted++;
                request.workId = posted;
                request.signaled = posted % posting.signalEvery() == 0 || posted == count;
                queuePair.postSend(request);
            }
            completions.poll(POLL_BATCH, this::onCompletion);
        }
        return Transfer.ofThroughput(count, bytes * count, System.nanoTime() - start);
    }

    /// Reads `count` times `bytes` bytes of the peer's memory, one after the other.
    Transfer readLatency(long bytes, int count) {
        prepare(Operation.READ, bytes);
        Histogram latenciesNs = Transfer.emptyHistogram();
        completed = 0;
        long start = System.nanoTime();
        long before = start;
        for (long posted = 1; posted <= count; posted++) {
            post(posted);
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
        completed = 0;
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
        completed = 0;
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

    private void post(long workId) {
        request.workId = workId;
        queuePair.postSend(request);
        while (completed < workId) {
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
        completed = completion.workId();
    }
}
