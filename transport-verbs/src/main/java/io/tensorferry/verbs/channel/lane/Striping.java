package io.tensorferry.verbs.channel.lane;

import java.util.List;

/// Which lanes the content of a request goes over, at both ends: one that its index says, or all of them for a content
/// that is large.
///
/// Owner: the loop.
public final class Striping {
    /// Parts begin at multiples of this within a content.
    private static final long PART_ALIGNMENT = 4096;

    /// Of the control queue pair and the data lanes.
    private final List<Lane> lanes;
    private final int laneCount;
    private final long stripeBytes;
    private final StripedContents awaited;

    /// @param lanes the control queue pair, then the data lanes
    /// @param stripeBytes a content of so many bytes goes over all lanes, as both ends agreed
    public Striping(List<Lane> lanes, long stripeBytes) {
        this.lanes = lanes;
        this.laneCount = lanes.size() - 1;
        this.stripeBytes = stripeBytes;
        this.awaited = new StripedContents(laneCount);
    }

    /// Over which the content of a request comes that goes over one, at either end.
    public Lane laneOf(int requestIndex) {
        return lanes.get(1 + home(requestIndex));
    }

    /// Over which a piece of the content of a request comes, at either end, where it comes in pieces.
    ///
    /// @param piece its number, from 0
    public Lane laneOfPiece(int requestIndex, int piece) {
        return lanes.get(1 + (int) ((Integer.toUnsignedLong(requestIndex) + piece) % laneCount));
    }

    private int home(int requestIndex) {
        return Integer.remainderUnsigned(requestIndex, laneCount);
    }

    private boolean isStriped(long length) {
        return length >= stripeBytes && laneCount > 1;
    }

    /// Over how many lanes a content of so many bytes goes, at either end.
    public int lanesOf(long bytes) {
        return isStriped(bytes) ? laneCount : 1;
    }

    /// Puts a content where it waits to be written.
    public void enqueue(ContentWrite write) {
        if (!isStriped(write.length)) {
            write.lanesLeft = 1;
            laneOf(write.immediate).enqueue(write, 0, write.length);
            return;
        }
        write.lanesLeft = laneCount;
        long part = partBytes(write.length);
        for (int i = 0; i < laneCount; i++) {
            int lane = 1 + (home(write.immediate) + i) % laneCount;
            long from = Math.min(write.length, i * part);
            lanes.get(lane).enqueue(write, from, Math.min(write.length, from + part));
        }
    }

    /// Puts a part of a content where it waits to be written over one lane, whatever its size.
    ///
    /// @param lane a data lane, from 1
    public void enqueuePart(ContentWrite write, int lane) {
        write.lanesLeft = 1;
        lanes.get(lane).enqueue(write, 0, write.length);
    }

    private long partBytes(long length) {
        return ((length - 1) / laneCount / PART_ALIGNMENT + 1) * PART_ALIGNMENT;
    }

    /// Puts the reads of a content where they wait.
    ///
    /// @param index says which lane, where it goes over one
    public void enqueue(ContentRead read, int index) {
        long length = read.length();
        if (!isStriped(length)) {
            read.begin(1);
            laneOf(index).enqueue(read, 0, length);
            return;
        }
        long part = partBytes(length);
        int parts = Math.toIntExact((length - 1) / part + 1);
        read.begin(parts);
        for (int i = 0; i < parts; i++) {
            int lane = 1 + (home(index) + i) % laneCount;
            lanes.get(lane).enqueue(read, i * part, Math.min(length, (i + 1) * part));
        }
    }

    /// The peer was told of memory for the content of a request; returns what tells that it is done with it.
    ///
    /// @param grant what holds otherwise
    public MemoryGrant await(int requestIndex, long length, MemoryGrant grant) {
        return isStriped(length) ? awaited.await(requestIndex) : grant;
    }

    /// The immediate of a request came over a lane; returns whether the content has landed.
    ///
    /// @throws io.tensorferry.verbs.wire.ProtocolViolationException if it has come over this lane before
    public boolean arrived(int requestIndex, int lane) {
        return awaited.arrived(requestIndex, lane);
    }
}
