package io.tensorferry.verbs.statistics;

import io.tensorferry.api.TransportException;
import org.jspecify.annotations.Nullable;

/// How this worker stands with one peer. Immutable.
///
/// @param peer the other worker, as `/job:worker/replica:0/task:1`
/// @param epoch channels that were opened to it so far, in all its lives
/// @param channel what both ends agreed on; null unless the state is [State#OPEN]
/// @param way how this worker's requests travel over the channel at the moment, in a word or two for people, as
///     `shared memory` or `TCP`, and with both where its queue pairs found different ones; empty where the device knows
///     one way only, and while none is found: the first request finds one at the latest. The peer's may go another way
/// @param failure why the last channel ended, or could not be had; null if that never happened
public record PeerStatus(
        String peer,
        State state,
        long epoch,
        @Nullable ChannelDescription channel,
        String way,
        @Nullable TransportException failure) {
    /// Where the way to a peer is.
    public enum State {
        /// No channel, and none is wanted: none was yet, or the last one was lost when nothing waited for it. The next
        /// receive sets one up.
        IDLE,
        /// The first channel is being set up.
        CONNECTING,
        OPEN,
        /// The channel was lost; another is being set up, and what was under way waits for it.
        RECOVERING,
        /// No channel could be had in time; what waited has failed. The next receive tries again.
        DOWN,
        /// No channel could be had in time; what waited has gone over the fallback, and so does every new receive,
        /// while a channel is tried for in the background.
        FALLBACK
    }
}
