package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.config.PostingOptions;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.wire.WorkId;
import io.tensorferry.verbs.wire.WorkKind;
import org.jspecify.annotations.Nullable;

/// The requests that one turn of the loop posts on one queue pair: prepared one by one, and submitted to the device in
/// one call at the end of the turn.
///
/// Few requests are signaled: every [PostingOptions#signalInterval]-th, at least one for each quarter of the bytes that
/// may be in flight, and the last of a list that uses a tensor's memory, so that the memory is released soon even if
/// nothing follows. Messages and acknowledgements alone request no completion, because nothing waits for it. To
/// identify the last request, the newest is held back until another follows or the list is submitted.
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
    // Requests and bytes since the last signaled request.
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

    /// Adds the request that [#next()] returned. Requires room.
    ///
    /// @param content the content whose last piece this is, or the first content that the messages carry, or null
    /// @param grant the grant whose window this concerns, or null
    /// @throws io.tensorferry.verbs.device.VerbsException if the device refuses this request or the one before
    void add(WorkKind kind, @Nullable ContentWrite content, @Nullable WindowGrant grant) {
        add(kind, content, grant, null, signalInterval);
    }

    /// Adds the read that [#next()] returned. Requires room.
    ///
    /// @param batch the batch whose last read this is, or null
    /// @param interval every `interval`-th request is signaled; 0 for the channel's interval
    /// @throws io.tensorferry.verbs.device.VerbsException if the device refuses this request or the one before
    void addRead(@Nullable ReadBatch batch, int interval) {
        add(WorkKind.READ, null, null, batch, interval == 0 ? signalInterval : Math.min(interval, signalInterval));
    }

    /// Posts the bind that [#next()] returned with a separate call, so that a refusal concerns no other request.
    /// Requires room.
    ///
    /// @return the device's refusal; null if the bind is posted
    /// @throws VerbsException if the device refuses a request added before
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
        // A content inside the ring is not read any more, but kept until its arrival is known.
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

    /// Submits all requests added since the last call.
    ///
    /// @throws io.tensorferry.verbs.device.VerbsException if the device refuses any of them
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
