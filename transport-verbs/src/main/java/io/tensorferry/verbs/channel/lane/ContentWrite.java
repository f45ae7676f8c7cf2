package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.wire.OutgoingMessage;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The content of one tensor on its way to the peer: an RDMA WRITE followed by an immediate or, if the content is
/// small, a message in the peer's ring. Reusable after its end.
///
/// Owner: the loop. The memory stays valid and unchanged until [#onWritten()] or [#onAbandoned()].
public abstract class ContentWrite implements OutgoingMessage {
    long localAddress;
    long length;
    int localKey;
    long remoteAddress;
    int remoteKey;
    int immediate;
    // Whether no immediate follows.
    boolean silent;
    // Whether only the device can read the local bytes.
    boolean outOfReach;
    // Number of lanes that have not written their part.
    int lanesLeft = 1;
    // The next content in the same slot of the ring.
    @Nullable
    ContentWrite nextOfSlot;

    /// Creates an empty write; [#set] describes it.
    protected ContentWrite() {}

    /// Creates a write described by the arguments of [#set].
    protected ContentWrite(
            long localAddress, long length, int localKey, long remoteAddress, int remoteKey, int immediate) {
        set(localAddress, length, localKey, remoteAddress, remoteKey, immediate);
    }

    /// Describes the write. Must not be called while it is in progress.
    ///
    /// @param length bytes, 0 or more; if 0, neither addresses nor keys are used
    /// @param immediate the request index
    protected final void set(
            long localAddress, long length, int localKey, long remoteAddress, int remoteKey, int immediate) {
        this.localAddress = localAddress;
        this.length = length;
        this.localKey = localKey;
        this.remoteAddress = remoteAddress;
        this.remoteKey = remoteKey;
        this.immediate = immediate;
        this.silent = false;
        this.outOfReach = false;
    }

    /// Makes the write silent, after [#set]: it is a part of a content whose last part carries the immediate. Only for
    /// [io.tensorferry.verbs.channel.RdmaChannel#writePart]. The write's immediate still identifies its request.
    protected final void setSilent() {
        silent = true;
    }

    /// Marks, after [#set], that the processor cannot read the bytes. They are neither carried by the ring nor inlined
    /// in the send request, regardless of their size.
    protected final void setOutOfReach() {
        outOfReach = true;
    }

    /// Size of the content in bytes.
    public final long contentBytes() {
        return length;
    }

    /// The request index that the peer receives as immediate.
    public final int requestIndex() {
        return immediate;
    }

    /// Whether only the device can read the local bytes.
    public final boolean isOutOfReach() {
        return outOfReach;
    }

    /// Marks that the content is sent over one lane, or inside the ring.
    public final void goesOverOneLane() {
        lanesLeft = 1;
    }

    /// Records that a lane has written its part. Returns whether all lanes have.
    public final boolean laneWritten() {
        return --lanesLeft == 0;
    }

    /// Unlinks this content from the others of its slot; returns its successor, or null.
    @Nullable
    public ContentWrite unchain() {
        ContentWrite next = nextOfSlot;
        nextOfSlot = null;
        return next;
    }

    @Override
    public boolean isAnswer() {
        return true;
    }

    /// Overridden by contents that the ring can carry.
    @Override
    public int encodedSize() {
        throw new IllegalStateException(this + " is not written inside the ring");
    }

    @Override
    public int encode(MemorySegment target, long offset, int room) {
        throw new IllegalStateException(this + " is not written inside the ring");
    }

    /// Called when the peer's memory holds the whole content. The device no longer uses this end's memory.
    public abstract void onWritten();

    /// Called if the channel failed first. The device no longer uses the memory.
    public abstract void onAbandoned();
}
