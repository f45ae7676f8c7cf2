package io.tensorferry.verbs.link;

import io.tensorferry.verbs.channel.setup.ChannelEndpoint;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// One attempt to set up a channel, by dialling or by answering. A link has one current attempt; what a superseded
/// one still brings is thrown away.
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
    /// @param addressEvents [DeviceHealth#addressEvents()] at its beginning
    /// @param background closes an unwanted endpoint: the device may take its time
    SetUpAttempt(long connectionId, long number, long addressEvents, Executor background) {
        this.connectionId = connectionId;
        this.number = number;
        this.addressEvents = addressEvents;
        this.background = background;
    }

    /// The endpoint was made; returns false, and closes it, if nobody wants it any more.
    boolean offerEndpoint(ChannelEndpoint made) {
        if (discarded) {
            background.execute(made::close);
            return false;
        }
        endpoint = made;
        return true;
    }

    /// Checks that an answer is `peer`'s, and to this attempt.
    ///
    /// @throws IllegalArgumentException if it is not, or one of its values is wrong
    void checkAnswer(String peer, ConnectionParameters answer) {
        answer.validate();
        if (answer.connectionId() != connectionId || !answer.hostName().equals(peer)) {
            throw new IllegalArgumentException("it comes from " + answer.hostName() + " for connection "
                    + Long.toHexString(answer.connectionId()) + ", expected " + peer + " for "
                    + Long.toHexString(connectionId));
        }
    }

    /// The endpoint, which belongs to the caller from now on.
    ChannelEndpoint takeEndpoint() {
        ChannelEndpoint taken = endpoint;
        if (taken == null) {
            throw new IllegalStateException("the attempt has no endpoint");
        }
        endpoint = null;
        return taken;
    }

    /// What is to be done if the attempt is thrown away.
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
