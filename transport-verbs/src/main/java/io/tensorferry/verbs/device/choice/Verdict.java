package io.tensorferry.verbs.device.choice;

/// The verdict on a candidate device, port or GID.
public enum Verdict {
    TAKEN,
    /// Another candidate is preferred, or named by the configuration; this one may not have been fully examined.
    PASSED_OVER,
    /// The candidate is unusable.
    REFUSED
}
