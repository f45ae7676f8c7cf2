package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.config.PostingOptions;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.wire.WorkId;
import io.tensorferry.verbs.wire.WorkKind;
import org.jspecify.annotations.Nullable;

/// What one turn of the loop posts on one queue pair: prepared request by request, and handed to the device in one call
/// at the turn's end.
///
/// Few of the requests ask for a completion: each [PostingOptions#signalInterval], or a quarter of the bytes that may
/// be under way, and the last of a list in which memory of a tensor is used, so that this is let go soon even if
/// nothing follows. Messages and acknowledgements alone ask for none: nobody waits for their end. To know which is
/// the last, the newest request is held back until another follows or the list is submitted.
///
/// Owner: the loop.
final class SendList {
    private final int lane;
    private final QueuePair queuePair;
    private final PostedWork posted;
    private final int signalInterval;
    private final long signalBytes;
    private SendWorkRequest next = new SendWorkRequest();
    private SendWorkRequest held = new SendWorkRequest();
    private boolean holds;
    // Since the last request that asked for a completion.
    private int unsignaled;
    private long unsignaledBytes;
    private boolean usesTensors;

    SendList(int lane, QueuePair queuePair, int sendDepth, PostingOptions options) {
        this.lane = lane;
        this.queuePair = queuePair;
        this.posted = new PostedWork(sendDepth);
        this.signalInterval = options.signalInterval(sendDepth);
        this.signalBytes = options.bytesUnderWay() / 4;
    }

    PostedWork posted() {
        return posted;
    }

    boolean hasRoom() {
        return !posted.isFull();
    }

    /// The request to fill for the next [#add] of this kind; its work id is [#workId].
    SendWorkRequest next() {
        return next;
    }

    long workId(WorkKind kind) {
        return WorkId.of(kind, lane, posted.nextSequence());
    }

    /// Takes what [#next()] was filled with; there must be room.
    ///
    /// @param content whose last piece it is, or the first of those that its messages carry, or null
    /// @param grant for whose window it is, or null
    /// @throws io.tensorferry.verbs.device.VerbsException if the device refuses this or the request before it
    void add(WorkKind kind, @Nullable ContentWrite content, @Nullable WindowGrant grant) {
        add(kind, content, grant, null, signalInterval);
    }

    /// Takes a read that [#next()] was filled with; there must be room.
    ///
    /// @param batch whose last it is, or null
    /// @param interval of so many requests one asks for a completion
    /// @throws io.tensorferry.verbs.device.VerbsException if the device refuses this or the request before it
    void addRead(@Nullable ReadBatch batch, int interval) {
        add(WorkKind.READ, null, null, batch, interval == 0 ? signalInterval : Math.min(interval, signalInterval));
    }

    /// Posts the bind that [#next()] was filled with, by a call of its own, so that a device that refuses it refuses
    /// nothing else; there must be room.
    ///
    /// @return what the device refused it with; null if it is posted
    /// @throws VerbsException if the device refuses what was added before
    @Nullable
    VerbsException postBind(WindowGrant grant) {
        submit();
        SendWorkRequest bind = next;
        bind.signaled = true;
        try {
            queuePair.postSend(bind);
        } catch (VerbsException e) {
            return e;
        }
        posted.add(WorkKind.BIND, 0, null, grant, null);
        unsignaled = 0;
        unsignaledBytes = 0;
        return null;
    }

    private void add(
            WorkKind kind,
            @Nullable ContentWrite content,
            @Nullable WindowGrant grant,
            @Nullable ReadBatch batch,
            int interval) {
        SendWorkRequest added = next;
        next = held;
        held = added;
        boolean before = holds;
        holds = true;
        unsignaled++;
        boolean tensor = kind == WorkKind.CONTENT || kind == WorkKind.CHUNK || kind == WorkKind.READ;
        long bytes = tensor ? added.length : 0;
        // What the ring carries is not used any more, but kept until it is known to be there.
        usesTensors |= tensor || content != null;
        unsignaledBytes += bytes;
        posted.add(kind, bytes, content, grant, batch);
        boolean awaited = kind == WorkKind.INVALIDATE || kind == WorkKind.PROBE;
        added.signaled = awaited || unsignaled >= interval || unsignaledBytes >= signalBytes;
        if (added.signaled) {
            unsignaled = 0;
            unsignaledBytes = 0;
            usesTensors = false;
        }
        if (before) {
            queuePair.prepareSend(next);
        }
    }

    /// Hands over all that was added since the last time.
    ///
    /// @throws io.tensorferry.verbs.device.VerbsException if the device refuses any of it
    void submit() {
        if (!holds) {
            return;
        }
        holds = false;
        if (usesTensors) {
            held.signaled = true;
            unsignaled = 0;
            unsignaledBytes = 0;
            usesTensors = false;
        }
        queuePair.postSend(held);
    }
}
