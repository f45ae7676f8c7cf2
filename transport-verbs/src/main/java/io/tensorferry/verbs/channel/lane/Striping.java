package io.tensorferry.verbs.channel.lane;

import java.util.List;

/// Assigns contents to lanes, identically at both ends: one lane derived from the request index, or all lanes for a
/// large content.
///
/// Owner: the loop.
public final class Striping {
    /// Alignment of a part's offset within a content.
    private static final long PART_ALIGNMENT = 4096;

    /// The control queue pair's lane, then the data lanes.
    private final List<Lane> lanes;
    private final int laneCount;
    private final long stripeBytes;
    private final StripedContents awaited;

    /// @param lanes the control queue pair's lane, then the data lanes
    /// @param stripeBytes contents of at least this many bytes use all lanes, as both ends agreed
    public Striping(List<Lane> lanes, long stripeBytes) {
        this.lanes = lanes;
        this.laneCount = lanes.size() - 1;
        this.stripeBytes = stripeBytes;
        this.awaited = new StripedContents(laneCount);
    }

    /// The lane of a request's content, at either end, if it uses one lane.
    public Lane laneOf(int requestIndex) {
        return lanes.get(1 + home(requestIndex));
    }

    /// The lane of a piece of a request's content, at either end, if the content is sent in pieces.
    ///
    /// @param piece number of the piece, from 0
    public Lane laneOfPiece(int requestIndex, int piece) {
        return lanes.get(1 + (int) ((Integer.toUnsignedLong(requestIndex) + piece) % laneCount));
    }

    private int home(int requestIndex) {
        return Integer.remainderUnsigned(requestIndex, laneCount);
    }

    private boolean isStriped(long length) {
        return length >= stripeBytes && laneCount > 1;
    }

    /// The number of lanes that a content of `bytes` bytes uses, at either end.
    public int lanesOf(long bytes) {
        return isStriped(bytes) ? laneCount : 1;
    }

    /// Queues a content on its lanes.
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

    /// Queues a part of a content on one lane, regardless of its size.
    ///
    /// @param lane a data lane, from 1
    public void enqueuePart(ContentWrite write, int lane) {
        write.lanesLeft = 1;
        lanes.get(lane).enqueue(write, 0, write.length);
    }

    private long partBytes(long length) {
        return ((length - 1) / laneCount / PART_ALIGNMENT + 1) * PART_ALIGNMENT;
    }

    /// Queues the reads of a content on its lanes.
    ///
    /// @param index selects the lane of a content that uses one
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

    /// Awaits a content after the peer was given memory for it. Returns the grant to revoke when the content is done.
    ///
    /// @param grant returned unchanged if the content uses one lane
    public MemoryGrant await(int requestIndex, long length, MemoryGrant grant) {
        return isStriped(length) ? awaited.await(requestIndex) : grant;
    }

    /// Records the immediate of a request over a lane; returns whether the content has landed.
    ///
    /// @throws io.tensorferry.verbs.wire.ProtocolViolationException if it has already arrived over this lane
    public boolean arrived(int requestIndex, int lane) {
        // With one lane no content is striped.
        return laneCount == 1 || awaited.arrived(requestIndex, lane);
    }
}
