package io.tensorferry.verbs.placement;

/// When the place of a tensor is in use. Immutable.
public sealed interface Lifetime {
    /// In use for the whole computation, one place: the value stays until the next step's is written over it.
    Lifetime KEPT = new AcrossSteps(1);

    /// In use for the whole computation, two places that steps take in turn: the producer may write the next step's
    /// value while the consumer still reads this one's.
    Lifetime DOUBLE_BUFFERED = new AcrossSteps(2);

    /// In use in each step from one position to another, both included, and free for others in between.
    ///
    /// Positions number the operations of a step in an order that the step keeps on all workers: what ends before
    /// another begins has been consumed when that is written. What a plan needs of this promise it names
    /// ([EdgeDecision.Static#takesOverFrom()]). An operation that consumes one tensor and produces another holds both
    /// at its position, so a tensor whose `firstUse` is another's `lastUse` shares no bytes with it.
    ///
    /// @param firstUse when the producer may begin to write, 0 or more
    /// @param lastUse when the consumer has consumed it, `firstUse` or more
    record WithinStep(int firstUse, int lastUse) implements Lifetime {
        /// @throws IllegalArgumentException if `firstUse` is negative or behind `lastUse`
        public WithinStep {
            if (firstUse < 0 || firstUse > lastUse) {
                throw new IllegalArgumentException("a lifetime from position " + firstUse + " to " + lastUse
                        + " is none: the first use must be 0 or more, and the last not before it");
            }
        }

        /// As `3 to 9`.
        @Override
        public String toString() {
            return firstUse + " to " + lastUse;
        }
    }

    /// In use for the whole computation, so that nothing else can share the bytes.
    ///
    /// @param places how many places the steps take in turn, 1 to [#MAX_PLACES]
    record AcrossSteps(int places) implements Lifetime {
        /// Who needs more needs a queue, and that is what the rendezvous is.
        public static final int MAX_PLACES = 16;

        /// @throws IllegalArgumentException if `places` is out of its range
        public AcrossSteps {
            if (places < 1 || places > MAX_PLACES) {
                throw new IllegalArgumentException(places + " places are not 1 to " + MAX_PLACES);
            }
        }

        /// As `kept`, or `kept, 2 places`.
        @Override
        public String toString() {
            return places == 1 ? "kept" : "kept, " + places + " places";
        }
    }
}
