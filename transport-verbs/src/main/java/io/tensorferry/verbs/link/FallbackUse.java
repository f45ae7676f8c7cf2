package io.tensorferry.verbs.link;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.setup.ChannelContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether the waiters of one link are sent to the fallback, and whether there are any. The link dials as long as
/// waiters come.
///
/// Owner: the loop.
final class FallbackUse {
    private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);

    private final String peer;
    private final ChannelContext context;
    private boolean inUse;
    // When the last waiter was sent to the fallback.
    private long wantedAtNs;

    FallbackUse(String peer, ChannelContext context) {
        this.peer = peer;
        this.context = context;
    }

    boolean isInUse() {
        return inUse;
    }

    /// Records that a waiter is sent to the fallback.
    void want() {
        wantedAtNs = context.loop().nanoTime();
    }

    /// Whether the last waiter was there so long ago that the link need not dial for others.
    boolean isUnwanted() {
        return context.loop().nanoTime() - wantedAtNs
                > context.options().connectTimeout().toNanos();
    }

    /// Sends all later waiters to the fallback. Has no effect if it is in use.
    void begin(TransportException cause) {
        if (!inUse) {
            inUse = true;
            want();
            LOG.warn(
                    "cannot set up a channel to {}; receives go over {} until a channel is open again: {}",
                    peer,
                    context.config().fallback(),
                    cause.getMessage());
        }
    }

    /// Ends the use of the fallback, because a channel works.
    void end() {
        inUse = false;
        LOG.info(
                "a channel to {} is open again; receives no longer go over {}",
                peer,
                context.config().fallback());
    }
}
