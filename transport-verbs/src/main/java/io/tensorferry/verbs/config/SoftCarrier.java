package io.tensorferry.verbs.config;

import java.util.Locale;

/// How the software device reaches its peers.
public enum SoftCarrier {
    /// Through shared memory where the peer is on this host and both can map the other's memory, else over TCP.
    AUTO,
    /// Through shared memory alone: a peer that cannot be reached so is not reached.
    SHARED,
    /// Over TCP alone.
    TCP;

    /// As in the settings: `auto`, `shared` or `tcp`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
