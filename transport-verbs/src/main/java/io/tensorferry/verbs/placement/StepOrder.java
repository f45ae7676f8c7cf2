package io.tensorferry.verbs.placement;

/// Whether a step may begin while the one before it still runs: what decides whether tensors may share bytes at all.
public enum StepOrder {
    /// A step may begin while earlier ones run, so that any tensor of one step may be alive with any of another.
    /// No two tensors share bytes; each has a place of its own.
    OVERLAPPING("steps may overlap: no bytes are shared"),
    /// The caller sees to it that nothing of a step is written before everything of the step before it has been
    /// consumed, on all workers. Tensors share bytes where their lifetimes allow.
    ONE_BY_ONE("steps run one by one: tensors that are not alive together share bytes");

    private final String text;

    StepOrder(String text) {
        this.text = text;
    }

    /// What it means, for a person to read.
    @Override
    public String toString() {
        return text;
    }
}
