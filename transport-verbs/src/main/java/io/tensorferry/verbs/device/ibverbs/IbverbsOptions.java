package io.tensorferry.verbs.device.ibverbs;

/// What can be chosen for libibverbs devices. Immutable.
///
/// @param relaxedOrdering whether the device may write the bytes of a message to memory in any order
///     (`IBV_ACCESS_RELAXED_ORDERING`), which is faster on some systems with several NUMA nodes or with virtualisation.
/// A
///     completion still comes after all bytes of its message, and nothing here looks at memory before that. Devices
/// that
///     do not know it ignore it
public record IbverbsOptions(boolean relaxedOrdering) {
    public static IbverbsOptions defaults() {
        return new IbverbsOptions(false);
    }

    public IbverbsOptions withRelaxedOrdering(boolean relaxedOrdering) {
        return new IbverbsOptions(relaxedOrdering);
    }
}
