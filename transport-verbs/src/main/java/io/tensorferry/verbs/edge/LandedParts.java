package io.tensorferry.verbs.edge;

import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.Arrays;

/// Counts the tensors of one edge that have landed over one channel: one has when its part has come over every lane,
/// each of which brings the parts in order.
///
/// Owner: the loop.
final class LandedParts {
    private final int places;
    private int lanes = 1;
    // Of each lane since the channel is open; the first is not in use.
    private long[] landed = new long[2];
    private long complete;

    /// @param places tensors that can be under way at once
    LandedParts(int places) {
        this.places = places;
    }

    /// Nothing has come over the channel yet: what a lost one has brought of a tensor does not count.
    ///
    /// @param lanesOfTensor over which each comes: 1, or all
    /// @param allLanes of the channel
    void begin(int lanesOfTensor, int allLanes) {
        lanes = lanesOfTensor;
        landed = landed.length == allLanes + 1 ? landed : new long[allLanes + 1];
        Arrays.fill(landed, 0);
        complete = 0;
    }

    /// The next part has come over a lane; returns whether a tensor is complete with it.
    ///
    /// @throws ProtocolViolationException if the sender cannot have written it yet
    boolean add(int lane) {
        long parts = ++landed[lane];
        if (lanes == 1) {
            complete++;
            return true;
        }
        if (parts - complete > places) {
            throw new ProtocolViolationException("lane " + lane + " is " + (parts - complete)
                    + " tensors ahead of the others, of an edge with " + places + " places");
        }
        long least = Long.MAX_VALUE;
        for (int i = 1; i < landed.length; i++) {
            least = Math.min(least, landed[i]);
        }
        boolean more = least > complete;
        complete = least;
        return more;
    }
}
