package io.tensorferry.verbs.placement;

import io.tensorferry.api.RendezvousKey;
import java.util.List;

/// How the tensor of one edge travels in every step, and why. Immutable.
public sealed interface EdgeDecision {
    GraphEdge edge();

    /// The reason, for a person to read.
    String why();

    /// The producer writes straight into a place that the consumer has registered once, for the whole computation.
    ///
    /// @param byteSize bytes of the content; 0 for a tensor without elements
    /// @param offsets where its places begin in the memory of the consumer's worker. One, or as many as the edge's
    ///     lifetime asks for
    /// @param takesOverFrom the edges of the same worker whose bytes it takes over within a step. What the plan relies
    ///     on: its producer writes only when these have been consumed. Whoever had the bytes in the step before is not
    ///     named: that [StepOrder#ONE_BY_ONE] promises
    record Static(GraphEdge edge, long byteSize, List<Long> offsets, List<RendezvousKey> takesOverFrom)
            implements EdgeDecision {
        public Static {
            offsets = List.copyOf(offsets);
            takesOverFrom = List.copyOf(takesOverFrom);
        }

        /// Where the tensor of a step lies.
        ///
        /// @param step counts the steps, one by one; not the step's id, which may be any number
        public long offset(long step) {
            return offsets.get(Math.floorMod(step, offsets.size()));
        }

        @Override
        public String why() {
            return "its shape is known before the first step";
        }
    }

    /// The producer writes the tensor's metadata into a slot of the consumer, which allocates and reads the content.
    ///
    /// @param metaDataRank how many dimensions the slot must have room for
    record Dynamic(GraphEdge edge, int metaDataRank) implements EdgeDecision {
        @Override
        public String why() {
            return edge.shape() instanceof EdgeShape.Partial partial
                    ? "dimension " + partial.firstUnknownAxis() + " is not known before the step"
                    : "nothing of its shape is known before the step";
        }
    }

    /// The consumer asks for the tensor in each step, by its key.
    ///
    /// @param obstacle what keeps it from another way
    /// @param why the same, with what it is about
    record ByRendezvous(GraphEdge edge, Obstacle obstacle, String why) implements EdgeDecision {}

    /// What keeps an edge from any way but the rendezvous.
    enum Obstacle {
        /// Both ends are on one worker, where the rendezvous hands the tensor over without a copy.
        SAME_WORKER,
        /// Elements of no fixed size travel in serialised form.
        STRINGS,
        /// How often the edge is used, and under which keys, is known only while the step runs.
        IN_LOOP,
        /// A dead value has no content that could be written or read.
        MAY_BE_DEAD,
        /// The place would take more registered memory than [PlacementOptions#largestStaticBytes()].
        TOO_LARGE
    }
}
