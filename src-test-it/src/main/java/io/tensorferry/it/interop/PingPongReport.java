package io.tensorferry.it.interop;

import java.time.Duration;

/// How a game went.
///
/// @param sent messages that the peer has taken
/// @param received messages that came
/// @param checked those of them whose every byte was known before, and right
/// @param elapsed from the first message to the last completion
public record PingPongReport(int sent, int received, int checked, Duration elapsed) {
    @Override
    public String toString() {
        return "sent %d, received %d, of which checked %d; %.2f us for each pair"
                .formatted(sent, received, checked, elapsed.toNanos() / 1e3 / Math.max(1, received));
    }
}
