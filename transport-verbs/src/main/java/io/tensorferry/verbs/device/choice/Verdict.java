package io.tensorferry.verbs.device.choice;

/// How a device, a port or a GID fared when one of its kind was chosen.
public enum Verdict {
    TAKEN,
    /// Another one is preferred, or named by the configuration; this one may never have been looked at closely.
    PASSED_OVER,
    /// It cannot be used.
    REFUSED
}
