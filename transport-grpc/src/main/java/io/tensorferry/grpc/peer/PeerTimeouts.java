package io.tensorferry.grpc.peer;

import java.time.Duration;

/// The time limits for connecting to peers and calling them. Immutable.
///
/// @param connect limits the first connection to a peer, which may not have started yet
/// @param reconnect limits a new connection to a peer that was reached before; short, so that a dead peer is reported
///     soon
/// @param call limits one call of the channel set-up, or one ping
public record PeerTimeouts(Duration connect, Duration reconnect, Duration call) {
    public PeerTimeouts {
        requirePositive("connect timeout", connect);
        requirePositive("reconnect timeout", reconnect);
        requirePositive("call timeout", call);
    }

    /// Connect 30 s, reconnect 3 s, call 10 s.
    public static PeerTimeouts defaults() {
        return new PeerTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(3), Duration.ofSeconds(10));
    }

    /// Returns `value` if it is positive.
    ///
    /// @throws IllegalArgumentException if `value` is 0 or less; the message contains `name`
    public static Duration requirePositive(String name, Duration value) {
        if (!value.isPositive()) {
            throw new IllegalArgumentException(name + " " + value + " must be longer than 0");
        }
        return value;
    }
}
