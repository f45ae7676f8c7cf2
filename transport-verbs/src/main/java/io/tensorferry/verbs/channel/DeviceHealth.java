package io.tensorferry.verbs.channel;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.ChosenPort;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What asynchronous events say of the device: whether channels can be made now, and which ones have to end.
///
/// Owner: the loop.
final class DeviceHealth {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceHealth.class);

    private final ChosenPort port;
    private final CompletionLoop loop;
    private boolean portDown;
    private boolean broken;

    DeviceHealth(ChosenPort port, CompletionLoop loop) {
        this.port = port;
        this.loop = loop;
    }

    /// Whether the device has failed for good.
    boolean isBroken() {
        return broken;
    }

    /// Why no channel to `peer` can be made now, or null if one can.
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
            case NOTHING -> LOG.debug("{} reports {}; nothing here depends on it", deviceName(), event);
            // Its polls fail, which is how its channel knows that it is meant.
            case COMPLETION_QUEUE -> LOG.warn("{} reports {}", deviceName(), event);
            case QUEUE_PAIR -> onQueuePair(event);
            case PORT -> onPort(event);
            case DEVICE -> {
                broken = true;
                LOG.error("{} reports {}; every channel fails, and none can be made any more", deviceName(), event);
                endAll(event.type());
            }
        }
    }

    private void onQueuePair(AsyncEvent event) {
        LOG.warn("{} reports {}", deviceName(), event);
        for (ChannelLife life : List.copyOf(loop.channels())) {
            if (life.channel().hasQueuePair(event.number())) {
                life.lose(failure(event.type(), life.channel().peer()));
            }
        }
    }

    private void onPort(AsyncEvent event) {
        if (event.number() != port.portNumber()) {
            LOG.debug("{} reports {}, which is not the port that is used", deviceName(), event);
            return;
        }
        portDown = event.type() == AsyncEvent.Type.PORT_ERR;
        if (portDown) {
            LOG.error("{} reports {}; every channel fails until the port is active again", deviceName(), event);
            endAll(event.type());
        } else {
            LOG.info("{} reports {}", deviceName(), event);
        }
    }

    private void endAll(AsyncEvent.Type type) {
        for (ChannelLife life : List.copyOf(loop.channels())) {
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
