package io.tensorferry.verbs.config;

import java.util.Locale;

/// How much of this process' memory the key opens that a peer is given with a request (`RDMA_RKEY_SCOPE`).
public enum RemoteKeyScope {
    /// The whole slab, or registration, that the tensor lies in, for as long as that is registered. Costs nothing.
    SLAB,
    /// The tensor's own bytes, over one queue pair, until the content has come: a
    /// [io.tensorferry.verbs.device.MemoryWindow] for each request. The
    /// device needs memory windows of type 2.
    REQUEST;

    /// As it is written in the variable: `slab`, `request`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
