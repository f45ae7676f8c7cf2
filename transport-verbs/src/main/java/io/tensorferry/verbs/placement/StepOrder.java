package io.tensorferry.verbs.placement;

/// Whether a step may begin while the previous step still runs; determines whether tensors may share bytes.
public enum StepOrder {
    /// A step may begin while earlier steps run, so any tensor of one step may be alive together with any tensor of
    /// another. No two tensors share bytes.
    OVERLAPPING("steps may overlap: no bytes are shared"),
    /// The caller guarantees that no tensor of a step is written before every tensor of the previous step has been
    /// consumed, on all workers. Tensors share bytes if their lifetimes allow it.
    ONE_BY_ONE("steps run one by one: tensors that are not alive together share bytes");

    private final String text;

    StepOrder(String text) {
        this.text = text;
    }

    /// A description for people.
    @Override
    public String toString() {
        return text;
    }
}
