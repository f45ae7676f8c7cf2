package io.tensorferry.it.interop;

import java.time.Duration;

/// The result of a game.
///
/// @param sent messages that the peer has received
/// @param received messages received
/// @param checked received messages whose every byte was predicted and correct
/// @param elapsed from the first message to the last completion
public record PingPongReport(int sent, int received, int checked, Duration elapsed) {
    @Override
    public String toString() {
        return "sent %d, received %d, of which checked %d; %.2f us for each pair"
                .formatted(sent, received, checked, elapsed.toNanos() / 1e3 / Math.max(1, received));
    }
}
