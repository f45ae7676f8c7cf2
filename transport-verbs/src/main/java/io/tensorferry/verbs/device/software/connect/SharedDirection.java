package io.tensorferry.verbs.device.software.connect;

import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.loop.Connection;
import io.tensorferry.verbs.device.software.loop.Direction;
import io.tensorferry.verbs.device.software.shared.RingEnd;
import io.tensorferry.verbs.device.software.stream.FrameInput;
import java.io.IOException;
import java.util.function.Consumer;

/// One direction through shared memory. The connection over which its ends met stays open and idle; its end signals
/// that the peer is gone.
///
/// Threading: on the loop only.
final class SharedDirection implements Direction, Connection.Handler {
    private final Connection connection;
    private final FrameInput input;
    private final RingEnd ring;
    private final Consumer<Direction> onLost;
    private boolean ended;

    /// @param onLost runs once if the connection or the ring breaks; does not run if this side ends the direction
    SharedDirection(Connection connection, PayloadCounters counters, RingEnd ring, Consumer<Direction> onLost) {
        this.connection = connection;
        this.input = new FrameInput(connection.channel(), counters);
        this.ring = ring;
        this.onLost = onLost;
        ring.whenBroken(this::lose);
        connection.setHandler(this);
    }

    @Override
    public void proceed() {
        ring.proceed();
    }

    @Override
    public void onReadable() throws IOException {
        switch (input.next()) {
            case IDLE -> {
                // The peer must not send frames here; ignore an incomplete one.
            }
            case END -> {
                ring.takeLast();
                lose();
            }
            case HEADER, PAYLOAD, REVOKED -> lose();
        }
    }

    @Override
    public void onWritable() {
        // This side writes nothing more.
    }

    @Override
    public void onFailure(Exception failure) {
        lose();
    }

    private void lose() {
        if (!ended) {
            end();
            onLost.accept(this);
        }
    }

    @Override
    public void end() {
        if (!ended) {
            ended = true;
            connection.close();
            ring.end();
        }
    }
}
