package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.verbs.config.RelaxedOrdering;

/// What can be chosen for libibverbs devices. Immutable.
///
/// @param relaxedOrdering in what memory the device may write the bytes of messages in any order
///     (`IBV_ACCESS_RELAXED_ORDERING`). Kernels and devices that do not know it ignore it
public record IbverbsOptions(RelaxedOrdering relaxedOrdering) {
    public static IbverbsOptions defaults() {
        return new IbverbsOptions(RelaxedOrdering.AUTO);
    }

    public IbverbsOptions withRelaxedOrdering(RelaxedOrdering relaxedOrdering) {
        return new IbverbsOptions(relaxedOrdering);
    }
}
