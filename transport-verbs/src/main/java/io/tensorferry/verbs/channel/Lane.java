package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.WorkId;
import io.tensorferry.verbs.wire.WorkKind;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One queue pair of a channel, with its count of free send-queue slots and of receives left at the peer; on a data
/// lane, the contents that wait to be written.
///
/// Owner: the loop.
final class Lane {
    private final int index;
    private final QueuePair queuePair;
    private final long maxMessageBytes;
    private final SendWorkRequest request = new SendWorkRequest();
    private final ImmediateCredits credits;
    private final UnacknowledgedImmediates unacknowledged;
    private final long receiveWorkId;
    private final ArrayDeque<ContentWrite> waiting = new ArrayDeque<>();
    // Contents whose last chunk is posted, oldest first: completions of one queue pair come in order.
    private final ArrayDeque<ContentWrite> posted = new ArrayDeque<>();
    // What is to be done for windows, in order, and what of it is posted.
    private final ArrayDeque<WindowWork> windowsWaiting = new ArrayDeque<>();
    private final ArrayDeque<WindowGrant> windowsPosted = new ArrayDeque<>();
    private int freeSendSlots;

    /// @param kind BIND or INVALIDATE
    private record WindowWork(WorkKind kind, WindowGrant grant) {}

    /// @param index 0 for the control queue pair, then the data lanes
    /// @param maxMessageBytes the largest single write that both ends take
    /// @param receives receives posted at each end
    /// @param batch immediates that one acknowledgement stands for
    Lane(int index, QueuePair queuePair, int sendDepth, long maxMessageBytes, int receives, int batch) {
        this.index = index;
        this.queuePair = queuePair;
        this.freeSendSlots = sendDepth;
        this.maxMessageBytes = maxMessageBytes;
        this.credits = new ImmediateCredits(receives, batch);
        this.unacknowledged = new UnacknowledgedImmediates(receives);
        this.receiveWorkId = WorkId.of(WorkKind.RECEIVE, index);
    }

    ImmediateCredits credits() {
        return credits;
    }

    boolean hasFreeSendSlot() {
        return freeSendSlots > 0;
    }

    void postReceive() {
        queuePair.postReceive(receiveWorkId);
    }

    /// Needs no receive at the peer.
    void postProbe() {
        post(request.write(WorkId.of(WorkKind.PROBE, index), 0, 0, 0, 0, 0));
    }

    void postMessage(long localAddress, int length, int localKey, long remoteAddress, int remoteKey) {
        countSent(Immediate.CONTROL_MESSAGE);
        post(request.writeWithImmediate(
                WorkId.of(WorkKind.CONTROL_MESSAGE, index),
                localAddress,
                length,
                localKey,
                remoteAddress,
                remoteKey,
                Immediate.CONTROL_MESSAGE));
    }

    private void countSent(int immediate) {
        credits.sent();
        unacknowledged.sent(immediate);
    }

    /// The peer has taken a batch of immediates; returns how many control messages were among them.
    ///
    /// @throws ProtocolViolationException if so many are not outstanding
    int onAcknowledgement() {
        int count = credits.onAcknowledgement();
        if (count == 0) {
            throw new ProtocolViolationException("it acknowledged more than was sent");
        }
        return unacknowledged.acknowledged(count);
    }

    /// Posts the acknowledgements that are due, as far as there is room; returns how many.
    int acknowledge() {
        int count = 0;
        while (freeSendSlots > 0 && credits.mayAcknowledge()) {
            credits.acknowledged();
            countSent(Immediate.ACKNOWLEDGEMENT);
            post(request.writeWithImmediate(
                    WorkId.of(WorkKind.ACKNOWLEDGEMENT, index), 0, 0, 0, 0, 0, Immediate.ACKNOWLEDGEMENT));
            count++;
        }
        return count;
    }

    void enqueue(ContentWrite write) {
        waiting.add(write);
    }

    /// Posts chunks of the contents that wait, as far as there is room; returns how many contents are posted to their
    /// end. The immediate goes with a content's last chunk.
    int pumpContents() {
        int count = 0;
        while (freeSendSlots > 0) {
            ContentWrite write = waiting.peek();
            if (write == null) {
                break;
            }
            long left = write.length - write.posted;
            if (left > maxMessageBytes) {
                post(request.write(
                        WorkId.of(WorkKind.CHUNK, index),
                        write.localAddress + write.posted,
                        maxMessageBytes,
                        write.localKey,
                        write.remoteAddress + write.posted,
                        write.remoteKey));
                write.posted += maxMessageBytes;
            } else if (credits.maySend()) {
                countSent(write.immediate);
                waiting.remove();
                posted.add(write);
                post(request.writeWithImmediate(
                        WorkId.of(WorkKind.CONTENT, index),
                        write.localAddress + write.posted,
                        left,
                        write.localKey,
                        write.remoteAddress + write.posted,
                        write.remoteKey,
                        write.immediate));
                count++;
            } else {
                break;
            }
        }
        return count;
    }

    void enqueueBind(WindowGrant grant) {
        windowsWaiting.add(new WindowWork(WorkKind.BIND, grant));
    }

    void enqueueInvalidation(WindowGrant grant) {
        windowsWaiting.add(new WindowWork(WorkKind.INVALIDATE, grant));
    }

    /// Posts what is to be done for windows, as far as there is room.
    void pumpWindows() {
        while (freeSendSlots > 0) {
            WindowWork work = windowsWaiting.poll();
            if (work == null) {
                return;
            }
            WindowGrant grant = work.grant();
            windowsPosted.add(grant);
            long workId = WorkId.of(work.kind(), index);
            if (work.kind() == WorkKind.BIND) {
                NamedMemory memory = grant.memory();
                post(request.bind(workId, grant.window(), memory.region(), memory.address(), memory.length()));
            } else {
                post(request.invalidate(workId, grant.window()));
            }
        }
    }

    /// The grant whose bind or invalidation completed.
    WindowGrant onWindowCompleted() {
        return windowsPosted.remove();
    }

    private void post(SendWorkRequest request) {
        freeSendSlots--;
        queuePair.postSend(request);
    }

    void onSendCompleted() {
        freeSendSlots++;
    }

    /// The content whose last chunk completed.
    @Nullable
    ContentWrite onContentCompleted() {
        return posted.poll();
    }

    /// The contents that were written and of which the peer has not said that it took them. Before
    /// [#abandonContents()].
    List<Integer> unconfirmed() {
        List<Integer> indexes = unacknowledged.requestIndexes();
        // Those that are posted and have not completed are the youngest; the peer may have acknowledged even some of
        // them.
        return indexes.subList(0, Math.max(0, indexes.size() - posted.size()));
    }

    /// Gives back every content that was not written; the queue pair is gone.
    void abandonContents() {
        posted.forEach(ContentWrite::onAbandoned);
        waiting.forEach(ContentWrite::onAbandoned);
        posted.clear();
        waiting.clear();
    }
}
