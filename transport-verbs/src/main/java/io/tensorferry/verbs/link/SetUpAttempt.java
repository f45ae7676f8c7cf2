package io.tensorferry.verbs.link;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.setup.ChannelContext;
import io.tensorferry.verbs.channel.setup.ChannelEndpoint;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One attempt to set up a channel, by dialling or by answering, and its work on background threads: the endpoint is
/// made, then connected. A link has one current attempt; results of a superseded attempt are discarded.
///
/// Owner: the loop.
final class SetUpAttempt {
    final long connectionId;
    final long number;
    final long addressEvents;
    private final ChannelContext context;
    private final LinkFailures failures;
    private @Nullable ChannelEndpoint endpoint;
    private Runnable onDiscard = () -> {};
    // Whether it was discarded, or its channel is open.
    private boolean over;

    /// @param connectionId the dialling end's number of the channel
    /// @param number this end's count of attempts for this peer
    /// @param addressEvents the value of [DeviceHealth#addressEvents()] at the beginning
    SetUpAttempt(long connectionId, long number, long addressEvents, ChannelContext context, LinkFailures failures) {
        this.connectionId = connectionId;
        this.number = number;
        this.addressEvents = addressEvents;
        this.context = context;
        this.failures = failures;
    }

    /// Creates the endpoint and, back on the loop, gives it to `then` if the attempt is still current.
    ///
    /// @param then receives the endpoint, which this attempt keeps, or null and the failure
    void makeEndpoint(BiConsumer<@Nullable ChannelEndpoint, TransportException> then) {
        context.background().execute(() -> {
            ChannelEndpoint made = null;
            TransportException failure = null;
            try {
                made = ChannelEndpoint.create(context);
            } catch (RuntimeException | Error e) {
                failure = failures.ofSetUp("cannot create an endpoint", e);
            }
            ChannelEndpoint result = made;
            TransportException why = failure == null ? failures.stopped() : failure;
            context.loop().execute(() -> {
                if (!over) {
                    endpoint = result;
                    then.accept(result, why);
                } else if (result != null) {
                    closeLater(result);
                }
            });
        });
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

    /// Connects the endpoint, because a device may resolve the path to the peer over the network, and, back on the
    /// loop, opens the channel.
    ///
    /// @param open takes the connected endpoint over, unless it throws
    /// @param then called if the attempt is still current, with null or the failure
    void connect(ConnectionParameters peer, Consumer<ChannelEndpoint> open, Consumer<@Nullable Throwable> then) {
        ChannelEndpoint connecting = takeEndpoint();
        var failed = new AtomicReference<@Nullable Throwable>();
        Runnable toReady = () -> {
            try {
                connecting.connect(peer);
            } catch (RuntimeException | Error e) {
                failed.set(e);
            }
        };
        context.offLoop("connect to " + peer.hostName(), toReady, () -> {
            Throwable why = failed.get();
            if (!over && why == null) {
                try {
                    open.accept(connecting);
                } catch (RuntimeException | Error e) {
                    why = e;
                }
            } else if (why == null) {
                why = failures.overtaken("another attempt superseded this attempt");
            }
            if (why != null) {
                closeLater(connecting);
            }
            if (why == null || !over) {
                then.accept(why);
            }
        });
    }

    private ChannelEndpoint takeEndpoint() {
        ChannelEndpoint taken = endpoint;
        if (taken == null) {
            throw new IllegalStateException("the attempt has no endpoint");
        }
        endpoint = null;
        return taken;
    }

    /// A device may take long to close an endpoint.
    private void closeLater(ChannelEndpoint unwanted) {
        context.background().execute(unwanted::close);
    }

    /// Sets the action to run if the attempt is discarded.
    void onDiscard(Runnable action) {
        onDiscard = action;
    }

    /// Marks the attempt successful: its channel is open.
    void succeed() {
        over = true;
    }

    void discard() {
        over = true;
        onDiscard.run();
        ChannelEndpoint unwanted = endpoint;
        if (unwanted != null) {
            endpoint = null;
            closeLater(unwanted);
        }
    }
}
