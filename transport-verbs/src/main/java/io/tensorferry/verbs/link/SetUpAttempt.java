package io.tensorferry.verbs.link;

import io.tensorferry.verbs.channel.setup.ChannelEndpoint;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// One attempt to set up a channel, by dialling or by answering. A link has one current attempt; results of a
/// superseded attempt are discarded.
///
/// Owner: the loop.
final class SetUpAttempt {
    final long connectionId;
    final long number;
    final long addressEvents;
    private @Nullable ChannelEndpoint endpoint;
    private final Executor background;
    private Runnable onDiscard = () -> {};
    private boolean discarded;

    /// @param connectionId the dialling end's number of the channel
    /// @param number this end's count of attempts for this peer
    /// @param addressEvents the value of [DeviceHealth#addressEvents()] at the beginning
    /// @param background closes an unwanted endpoint, because a device may take long for it
    SetUpAttempt(long connectionId, long number, long addressEvents, Executor background) {
        this.connectionId = connectionId;
        this.number = number;
        this.addressEvents = addressEvents;
        this.background = background;
    }

    /// Takes the created endpoint; if the attempt was discarded, closes it and returns false.
    boolean offerEndpoint(ChannelEndpoint made) {
        if (discarded) {
            background.execute(made::close);
            return false;
        }
        endpoint = made;
        return true;
    }

    /// Checks that an answer comes from `peer` and belongs to this attempt.
    ///
    /// @throws IllegalArgumentException if it does not, or one of its values is out of range
    void checkAnswer(String peer, ConnectionParameters answer) {
        answer.validate();
        if (answer.connectionId() != connectionId || !answer.hostName().equals(peer)) {
            throw new IllegalArgumentException("it comes from " + answer.hostName() + " for connection "
                    + Long.toHexString(answer.connectionId()) + ", expected " + peer + " for "
                    + Long.toHexString(connectionId));
        }
    }

    /// Returns the endpoint, which the caller owns from now on.
    ChannelEndpoint takeEndpoint() {
        ChannelEndpoint taken = endpoint;
        if (taken == null) {
            throw new IllegalStateException("the attempt has no endpoint");
        }
        endpoint = null;
        return taken;
    }

    /// Sets the action to run if the attempt is discarded.
    void onDiscard(Runnable action) {
        onDiscard = action;
    }

    void discard() {
        discarded = true;
        onDiscard.run();
        if (endpoint != null) {
            background.execute(endpoint::close);
            endpoint = null;
        }
    }
}
