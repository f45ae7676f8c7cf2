package io.tensorferry.verbs.config;

import java.util.Locale;

/// How the software device reaches its peers (`RDMA_SOFT_CARRIER`).
public enum SoftCarrier {
    /// Through shared memory if the peer is on this host and each end can map the other's memory, else over TCP.
    AUTO,
    /// Through shared memory only; other peers are unreachable.
    SHARED,
    /// Over TCP only.
    TCP;

    /// The value of the variable: `auto`, `shared` or `tcp`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
