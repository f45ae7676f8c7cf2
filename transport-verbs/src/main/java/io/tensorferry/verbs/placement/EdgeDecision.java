package io.tensorferry.verbs.placement;

import io.tensorferry.api.RendezvousKey;
import java.util.List;

/// The decision how the tensor of one edge travels in every step, and its reason. Immutable.
public sealed interface EdgeDecision {
    GraphEdge edge();

    /// The reason, as text for people.
    String why();

    /// The producer writes directly into a place that the consumer has registered once, for the whole computation.
    ///
    /// @param byteSize bytes of the content; 0 for a tensor without elements
    /// @param offsets the offsets of its places in the memory of the consumer's worker: one, or the number of places of
    ///     the edge's lifetime
    /// @param takesOverFrom the edges of the same worker whose bytes it reuses within a step. The plan relies on this:
    ///     its producer writes only after these edges have been consumed. The edge that used the bytes last in the
    ///     previous step is not listed: [StepOrder#ONE_BY_ONE] covers it
    record Static(GraphEdge edge, long byteSize, List<Long> offsets, List<RendezvousKey> takesOverFrom)
            implements EdgeDecision {
        public Static {
            offsets = List.copyOf(offsets);
            takesOverFrom = List.copyOf(takesOverFrom);
        }

        /// Returns the offset of a step's tensor.
        ///
        /// @param step the number of the step, counted one by one; not the step's id, which may be any number
        public long offset(long step) {
            return offsets.get(Math.floorMod(step, offsets.size()));
        }

        @Override
        public String why() {
            return "its shape is known before the first step";
        }
    }

    /// The producer writes the tensor's metadata into a slot of the consumer, which allocates memory and reads the
    /// content.
    ///
    /// @param metaDataRank the number of dimensions that the slot must have room for
    record Dynamic(GraphEdge edge, int metaDataRank) implements EdgeDecision {
        @Override
        public String why() {
            return edge.shape() instanceof EdgeShape.Partial partial
                    ? "dimension " + partial.firstUnknownAxis() + " is not known before the step"
                    : "nothing of its shape is known before the step";
        }
    }

    /// The consumer requests the tensor in each step, by its key.
    ///
    /// @param obstacle the rule that excludes the other protocols
    /// @param why the reason with its details
    record ByRendezvous(GraphEdge edge, Obstacle obstacle, String why) implements EdgeDecision {}

    /// The reason that an edge can only use the rendezvous.
    enum Obstacle {
        /// Both ends are on one worker, where the rendezvous hands the tensor over without a copy.
        SAME_WORKER,
        /// Elements without a fixed size travel in serialised form.
        STRINGS,
        /// The keys of the edge, and how often it is used, are known only while the step runs.
        IN_LOOP,
        /// A dead value has no content that could be written or read.
        MAY_BE_DEAD,
        /// The place would take more registered memory than [PlacementOptions#largestStaticBytes()].
        TOO_LARGE
    }
}
