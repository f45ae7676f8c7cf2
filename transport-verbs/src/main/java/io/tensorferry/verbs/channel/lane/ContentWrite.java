package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.wire.OutgoingMessage;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The content of one tensor on its way to the peer: bytes from one address to another, then an immediate; or, where it
/// is small, a message in the peer's ring. It may be used again after its end.
///
/// Owner: the loop. The memory stays alive and unchanged until [#onWritten()] or [#onAbandoned()].
public abstract class ContentWrite implements OutgoingMessage {
    long localAddress;
    long length;
    int localKey;
    long remoteAddress;
    int remoteKey;
    int immediate;
    // Whether no immediate goes behind it.
    boolean silent;
    // Whether only the device reads the bytes at this end.
    boolean outOfReach;
    // Lanes that have not written their part.
    int lanesLeft = 1;
    // The one behind it in the same slot of the ring.
    @Nullable
    ContentWrite nextOfSlot;

    /// Of nothing yet; [#set] says of what.
    protected ContentWrite() {}

    /// Of what [#set] takes.
    protected ContentWrite(
            long localAddress, long length, int localKey, long remoteAddress, int remoteKey, int immediate) {
        set(localAddress, length, localKey, remoteAddress, remoteKey, immediate);
    }

    /// Says what is to be written; not while it is under way.
    ///
    /// @param length bytes, 0 or more; with 0 no address and no key is used
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

    /// Says, after [#set], that the peer is not told of its end: it is a part of a content, and another behind it
    /// brings the immediate. Only for [io.tensorferry.verbs.channel.RdmaChannel#writePart]. Its immediate still says to
    /// which request it belongs.
    protected final void setSilent() {
        silent = true;
    }

    /// Says, after [#set], that the processor does not reach the bytes: they are neither carried by the ring nor copied
    /// into the send request, however few they are.
    protected final void setOutOfReach() {
        outOfReach = true;
    }

    /// Bytes of the content.
    public final long contentBytes() {
        return length;
    }

    /// The request index that the peer is told.
    public final int requestIndex() {
        return immediate;
    }

    /// Whether only the device reads the bytes at this end.
    public final boolean isOutOfReach() {
        return outOfReach;
    }

    /// It goes over one lane, or inside the ring.
    public final void goesOverOneLane() {
        lanesLeft = 1;
    }

    /// A lane has written its part. Returns whether all have.
    public final boolean laneWritten() {
        return --lanesLeft == 0;
    }

    /// Leaves the others of its slot; returns the one that was behind it, if there is one.
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

    /// One that may go inside the ring says how.
    @Override
    public int encodedSize() {
        throw new IllegalStateException(this + " does not go inside the ring");
    }

    @Override
    public int encode(MemorySegment target, long offset, int room) {
        throw new IllegalStateException(this + " does not go inside the ring");
    }

    /// The peer's memory has all of it; the device is done with this end's.
    public abstract void onWritten();

    /// The channel failed first; the device is done with the memory.
    public abstract void onAbandoned();
}
