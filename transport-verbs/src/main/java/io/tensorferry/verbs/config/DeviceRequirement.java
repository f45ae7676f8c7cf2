package io.tensorferry.verbs.config;

import java.util.Locale;

/// What a device must be for a server to start (`RDMA_REQUIRE`).
public enum DeviceRequirement {
    /// Any will do, the software device too.
    ANY,
    /// A device of libibverbs, or of another provider that is not software of this library. Without one the server does
    /// not start, where it would take the software device otherwise and say so in the log alone.
    HARDWARE;

    /// As it is written in the variable: `any`, `hardware`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
