package io.tensorferry.it.interop;

import io.tensorferry.verbs.config.RdmaConfig;
import java.time.Duration;

/// The parameters of a game. Both ends use the same values, except for `events`.
///
/// @param rdma device, port, GID, MTU and service level
/// @param size bytes of a message, 1 or more
/// @param iterations messages in each direction, 1 or more
/// @param receiveDepth the number of posted receives, 1 or more
/// @param events whether to sleep until a completion arrives, instead of polling
/// @param limit the maximum duration of each wait: for the peer, and for one message
public record PingPongPlan(
        RdmaConfig rdma, int size, int iterations, int receiveDepth, boolean events, Duration limit) {
    /// @throws IllegalArgumentException if a number is out of its range
    public PingPongPlan {
        if (size < 1 || iterations < 1 || receiveDepth < 1) {
            throw new IllegalArgumentException("size, iterations and receive depth are 1 or more: " + size + ", "
                    + iterations + ", " + receiveDepth);
        }
    }
}
