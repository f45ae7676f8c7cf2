package io.tensorferry.verbs.link;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ChannelFailure;
import io.tensorferry.verbs.channel.ChannelLife;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.choice.ChosenPort;
import io.tensorferry.verbs.device.choice.PortAddress;
import io.tensorferry.verbs.loop.CompletionLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tracks the device's state from its asynchronous events: decides whether channels can be set up now, and which
/// channels must end.
///
/// A port that goes down ends no channel at once: [RdmaConfig#portGrace()] is the time within which it may recover.
///
/// An event that reports a changed address does not identify it. So a background thread queries the device, and the
/// channels whose own address has been removed end.
///
/// Owner: the loop.
final class DeviceHealth {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceHealth.class);

    private final ChosenPort port;
    private final RdmaConfig config;
    private final CompletionLoop loop;
    private final Executor background;
    // Channels that were opened and have not ended, oldest first.
    private final List<ChannelLife> channels = new ArrayList<>();
    private boolean portDown;
    // Runs while the port is down, until its channels must end.
    private CompletionLoop.@Nullable Timer graceTimer;
    private boolean broken;
    // Number of events that may change addresses, and the type of the latest.
    private long addressEvents;
    private AsyncEvent.Type latestAddressEvent = AsyncEvent.Type.GID_CHANGE;
    // Whether an address query is running, and whether another must follow it.
    private boolean asking;
    private boolean askAgain;

    /// @param background queries the device
    DeviceHealth(ChosenPort port, RdmaConfig config, CompletionLoop loop, Executor background) {
        this.port = port;
        this.config = config;
        this.loop = loop;
        this.background = background;
    }

    /// Whether the device has failed permanently.
    boolean isBroken() {
        return broken;
    }

    /// The reason why no channel to `peer` can be set up now, or null if one can.
    @Nullable
    TransportException refusal(String peer) {
        if (broken) {
            return failure(AsyncEvent.Type.DEVICE_FATAL, peer).cause();
        }
        return portDown ? failure(AsyncEvent.Type.PORT_ERR, peer).cause() : null;
    }

    /// Ends the channels that the event concerns.
    void on(AsyncEvent event) {
        switch (ChannelFailure.scopeOf(event.type())) {
            case NOTHING -> LOG.debug("{} reports {}, which is ignored", deviceName(), event);
            // The queue's polls fail, which ends its channel.
            case COMPLETION_QUEUE -> LOG.warn("{} reports {}", deviceName(), event);
            case QUEUE_PAIR -> onQueuePair(event);
            case PORT -> onPort(event);
            case ADDRESS -> onAddress(event);
            case DEVICE -> {
                broken = true;
                LOG.error("{} reports {}; every channel fails, and no channel can be set up", deviceName(), event);
                endAll(event.type());
            }
        }
    }

    private void onQueuePair(AsyncEvent event) {
        LOG.warn("{} reports {}", deviceName(), event);
        for (ChannelLife life : openChannels()) {
            if (life.channel().hasQueuePair(event.number())) {
                life.lose(failure(event.type(), life.channel().peer()));
            }
        }
    }

    private void onPort(AsyncEvent event) {
        if (isOfAnotherPort(event)) {
            return;
        }
        if (event.type() == AsyncEvent.Type.PORT_ERR) {
            onPortDown(event);
        } else {
            LOG.info("{} reports {}", deviceName(), event);
            portDown = false;
            stopGrace();
            askForAddresses(event.type());
        }
    }

    /// A reliable connection survives a short interruption, and the device reports each queue pair that has given up.
    private void onPortDown(AsyncEvent event) {
        LOG.warn("{} reports {}; no channel is set up until the port is active again", deviceName(), event);
        if (!portDown) {
            portDown = true;
            config.portGrace()
                    .ifPresent(grace -> graceTimer = loop.schedule(grace.toNanos(), () -> onStayedDown(grace)));
        }
    }

    private void onStayedDown(Duration grace) {
        graceTimer = null;
        LOG.error(
                "port {} of {} has been down for {} ms (PORT_ERR); every channel fails until it is active again",
                port.portNumber(),
                deviceName(),
                grace.toMillis());
        endAll(AsyncEvent.Type.PORT_ERR);
    }

    private void stopGrace() {
        if (graceTimer != null) {
            graceTimer.cancel();
            graceTimer = null;
        }
    }

    private void onAddress(AsyncEvent event) {
        if (!isOfAnotherPort(event)) {
            LOG.info("{} reports {}", deviceName(), event);
            askForAddresses(event.type());
        }
    }

    private boolean isOfAnotherPort(AsyncEvent event) {
        boolean another = event.number() != port.portNumber();
        if (another) {
            LOG.debug("{} reports {}, which is not the port in use", deviceName(), event);
        }
        return another;
    }

    /// Number of events that may change addresses. A set-up records the number at its beginning.
    long addressEvents() {
        return addressEvents;
    }

    /// Records that a channel is open.
    ///
    /// @param before the value of [#addressEvents()] before the channel's end queried its address
    void onOpen(ChannelLife opened, long before) {
        channels.add(opened);
        if (before != addressEvents) {
            askAgain();
        }
    }

    /// Records that a channel has ended.
    void onEnd(ChannelLife ended) {
        channels.remove(ended);
    }

    private List<ChannelLife> openChannels() {
        return channels.stream().filter(life -> life.channel().isOpen()).toList();
    }

    private void askForAddresses(AsyncEvent.Type why) {
        addressEvents++;
        latestAddressEvent = why;
        askAgain();
    }

    private void askAgain() {
        if (asking) {
            askAgain = true;
            return;
        }
        var used = new HashSet<PortAddress>();
        openChannels().forEach(life -> used.add(life.address()));
        if (!used.isEmpty()) {
            asking = true;
            background.execute(() -> {
                Set<PortAddress> gone = goneOf(used);
                loop.execute(() -> onAnswer(gone));
            });
        }
    }

    /// Returns the addresses that the port no longer has. On a background thread.
    private Set<PortAddress> goneOf(Set<PortAddress> used) {
        try {
            used.removeIf(address -> address.isThere(port, config));
            return used;
        } catch (RuntimeException | Error e) {
            // Channels with a removed address will fail by failed work requests instead.
            LOG.warn("cannot determine which addresses of {} have changed", deviceName(), e);
            return Set.of();
        }
    }

    private void onAnswer(Set<PortAddress> gone) {
        asking = false;
        if (!gone.isEmpty()) {
            LOG.warn("the addresses of {} have changed; channels with a removed address end: {}", deviceName(), gone);
        }
        for (ChannelLife life : openChannels()) {
            if (gone.contains(life.address())) {
                life.lose(failure(latestAddressEvent, life.channel().peer()));
            }
        }
        if (askAgain) {
            askAgain = false;
            askAgain();
        }
    }

    private void endAll(AsyncEvent.Type type) {
        for (ChannelLife life : openChannels()) {
            life.lose(failure(type, life.channel().peer()));
        }
    }

    private ChannelFailure failure(AsyncEvent.Type type, String peer) {
        return ChannelFailure.ofEvent(type, deviceName(), peer);
    }

    private String deviceName() {
        return port.device().name();
    }
}
