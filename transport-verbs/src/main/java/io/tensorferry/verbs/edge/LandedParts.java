package io.tensorferry.verbs.edge;

import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.Arrays;

/// Counts the tensors of one edge that have landed over one channel. A tensor has landed when its part has arrived over
/// every lane; each lane delivers the parts in order.
///
/// Owner: the loop.
final class LandedParts {
    private final int places;
    private int lanes = 1;
    // Parts landed on each lane since the channel opened; index 0 is unused.
    private long[] landed = new long[2];
    private long complete;

    /// @param places tensors that can be in progress at once
    LandedParts(int places) {
        this.places = places;
    }

    /// Resets the counts for a new channel: parts delivered by a lost channel do not count.
    ///
    /// @param lanesOfTensor number of lanes that each tensor uses: 1, or all
    /// @param allLanes data lanes of the channel
    void begin(int lanesOfTensor, int allLanes) {
        lanes = lanesOfTensor;
        landed = landed.length == allLanes + 1 ? landed : new long[allLanes + 1];
        Arrays.fill(landed, 0);
        complete = 0;
    }

    /// Records the next part of a lane; returns whether it completes a tensor.
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
                    + " tensors ahead of the others on an edge with " + places + " places");
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
