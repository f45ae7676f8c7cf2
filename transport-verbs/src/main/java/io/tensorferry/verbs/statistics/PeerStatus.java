package io.tensorferry.verbs.statistics;

import io.tensorferry.api.TransportException;
import org.jspecify.annotations.Nullable;

/// The state of this worker's connection to one peer. Immutable.
///
/// @param peer the other worker, for example `/job:worker/replica:0/task:1`
/// @param epoch number of channels opened to the peer so far, including earlier lives of the peer
/// @param channel the negotiated parameters; null unless the state is [State#OPEN]
/// @param way how this worker's requests currently travel over the channel, for display, for example `shared memory` or
///     `TCP`, or both if its queue pairs differ. Empty if the device has only one way, and until one is selected, at
///     the latest by the first request. The peer's requests may travel differently
/// @param failure why the last channel ended or could not be set up; null if that never happened
public record PeerStatus(
        String peer,
        State state,
        long epoch,
        @Nullable ChannelDescription channel,
        String way,
        @Nullable TransportException failure) {
    /// The states of a connection to a peer.
    public enum State {
        /// No channel exists or is being set up: there was none yet, or the last one was lost while nothing waited for
        /// it. The next receive sets one up.
        IDLE,
        /// The first channel is being set up.
        CONNECTING,
        OPEN,
        /// The channel was lost and another is being set up; pending operations wait for it.
        RECOVERING,
        /// No channel could be set up in time, and the waiting operations have failed. The next receive tries again.
        DOWN,
        /// No channel could be set up in time. The waiting and all new receives use the fallback, while the worker
        /// tries to set up a channel in the background.
        FALLBACK
    }
}
