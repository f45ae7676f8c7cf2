package io.tensorferry.verbs.config;

import java.util.Locale;

/// The kind of device that a server requires to start (`RDMA_REQUIRE`).
public enum DeviceRequirement {
    /// Any device, including the software device.
    ANY,
    /// A device of libibverbs, or of another provider that is not this library's software device. Without such a device
    /// the server fails to start; with [#ANY] it would use the software device and only log it.
    HARDWARE;

    /// The value of the variable: `any` or `hardware`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
