package io.tensorferry.verbs.placement;

/// The time in which the place of a tensor is in use. Immutable.
public sealed interface Lifetime {
    /// In use for the whole computation, one place: the value stays until the next step's value overwrites it.
    Lifetime KEPT = new AcrossSteps(1);

    /// In use for the whole computation, two places that steps use alternately: the producer may write the next step's
    /// value while the consumer still reads the current value.
    Lifetime DOUBLE_BUFFERED = new AcrossSteps(2);

    /// In use in each step from one position to another, both included, and free for other tensors in between.
    ///
    /// Positions number the operations of a step in an order that holds on all workers: a tensor whose lifetime ends
    /// before another begins has been consumed when the other is written. The plan lists each use of this guarantee in
    /// [EdgeDecision.Static#takesOverFrom()]. An operation that consumes one tensor and produces another holds both at
    /// its position, so a tensor whose `firstUse` is another's `lastUse` shares no bytes with it.
    ///
    /// @param firstUse the position from which the producer may write, 0 or more
    /// @param lastUse the position at which the consumer has consumed the tensor, `firstUse` or more
    record WithinStep(int firstUse, int lastUse) implements Lifetime {
        /// @throws IllegalArgumentException if `firstUse` is negative or greater than `lastUse`
        public WithinStep {
            if (firstUse < 0 || firstUse > lastUse) {
                throw new IllegalArgumentException("a lifetime from position " + firstUse + " to " + lastUse
                        + " is invalid: the first use must be 0 or more, and the last not before it");
            }
        }

        /// As `3 to 9`.
        @Override
        public String toString() {
            return firstUse + " to " + lastUse;
        }
    }

    /// In use for the whole computation, so that no other tensor can share the bytes.
    ///
    /// @param places the number of places that steps use in turn, 1 to [#MAX_PLACES]
    record AcrossSteps(int places) implements Lifetime {
        /// Applications with more steps in flight need a queue, which the rendezvous provides.
        public static final int MAX_PLACES = 16;

        /// @throws IllegalArgumentException if `places` is out of range
        public AcrossSteps {
            if (places < 1 || places > MAX_PLACES) {
                throw new IllegalArgumentException("places " + places + " must be 1 to " + MAX_PLACES);
            }
        }

        /// As `kept`, or `kept, 2 places`.
        @Override
        public String toString() {
            return places == 1 ? "kept" : "kept, " + places + " places";
        }
    }
}
