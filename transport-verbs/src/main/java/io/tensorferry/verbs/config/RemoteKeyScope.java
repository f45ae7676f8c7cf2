package io.tensorferry.verbs.config;

import java.util.Locale;

/// The memory that the rkey in a request opens to the peer (`RDMA_RKEY_SCOPE`).
public enum RemoteKeyScope {
    /// The whole slab or registration that contains the tensor, for as long as it is registered. Adds no cost.
    SLAB,
    /// The tensor's bytes, through one queue pair, until the content has arrived: each request binds a
    /// [io.tensorferry.verbs.device.MemoryWindow]. The device must support memory windows of type 2.
    REQUEST;

    /// The value of the variable: `slab` or `request`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
