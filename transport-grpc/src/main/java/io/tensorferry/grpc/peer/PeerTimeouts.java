package io.tensorferry.grpc.peer;

import java.time.Duration;

/// How long a peer may take to answer. Immutable.
///
/// @param connect for the first connection to a peer, which may not have started yet
/// @param reconnect for a peer that had been reached and has gone: short, so that a dead peer is told soon
/// @param call for one call of the channel's set-up, or a ping
public record PeerTimeouts(Duration connect, Duration reconnect, Duration call) {
    public PeerTimeouts {
        requirePositive("connect timeout", connect);
        requirePositive("reconnect timeout", reconnect);
        requirePositive("call timeout", call);
    }

    public static PeerTimeouts defaults() {
        return new PeerTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(3), Duration.ofSeconds(10));
    }

    /// @throws IllegalArgumentException if the value is none that the thing named can have
    public static Duration requirePositive(String name, Duration value) {
        if (!value.isPositive()) {
            throw new IllegalArgumentException(name + " " + value + " must be longer than 0");
        }
        return value;
    }
}
