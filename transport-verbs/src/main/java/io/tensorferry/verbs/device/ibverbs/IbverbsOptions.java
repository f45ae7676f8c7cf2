package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.verbs.config.RelaxedOrdering;

/// Options for libibverbs devices. Immutable.
///
/// @param relaxedOrdering the memory that the device may write in relaxed order (`IBV_ACCESS_RELAXED_ORDERING`).
///     Kernels and devices without support ignore it
public record IbverbsOptions(RelaxedOrdering relaxedOrdering) {
    public static IbverbsOptions defaults() {
        return new IbverbsOptions(RelaxedOrdering.AUTO);
    }

    public IbverbsOptions withRelaxedOrdering(RelaxedOrdering relaxedOrdering) {
        return new IbverbsOptions(relaxedOrdering);
    }
}
