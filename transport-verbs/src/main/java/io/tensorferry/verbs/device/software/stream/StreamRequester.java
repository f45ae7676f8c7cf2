package io.tensorferry.verbs.device.software.stream;

import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.core.Request;
import io.tensorferry.verbs.device.software.core.Requester;
import io.tensorferry.verbs.device.software.core.SendSlot;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import io.tensorferry.verbs.device.software.loop.Connection;
import io.tensorferry.verbs.device.software.loop.Direction;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Sends the requests of a queue pair over the connection that it dialled, and receives the peer's answers. An invalid
/// byte or the end of the connection means that the peer is lost.
///
/// Threading: on the loop only.
public final class StreamRequester implements Direction, Connection.Handler {
    private static final int FRAMES_AT_ONCE = 64;
    private static final int BATCHES_AT_ONCE = 4;

    private final SoftwareQueuePair queuePair;
    private final Requester requester;
    private final Connection connection;
    private final Consumer<Direction> onLost;
    private final FrameInput input;
    private final FrameOutput output;
    private final Request request = new Request();
    private boolean ended;
    /// The READ whose data are arriving.
    private @Nullable SendSlot reading;

    /// @param connection a connection whose peer accepted the hello
    /// @param onLost runs once if the connection fails; does not run if this side ends it
    public StreamRequester(SoftwareQueuePair queuePair, Connection connection, Consumer<Direction> onLost) {
        PayloadCounters counters = queuePair.device().counters();
        this.queuePair = queuePair;
        this.requester = queuePair.requester();
        this.connection = connection;
        this.onLost = onLost;
        this.input = new FrameInput(connection.channel(), counters);
        this.output = new FrameOutput(connection.channel(), counters);
        connection.setHandler(this);
    }

    /// Sends the requester's pending requests.
    @Override
    public void proceed() {
        connection.guarded(this::sendRequests);
    }

    private void sendRequests() throws IOException {
        for (int batch = 0; batch < BATCHES_AT_ONCE; batch++) {
            takeRequests();
            if (ended || output.isEmpty()) {
                return;
            }
            switch (flush()) {
                case DONE -> connection.wantWrite(false);
                case BLOCKED -> {
                    connection.wantWrite(true);
                    return;
                }
                case REVOKED -> {
                    requester.failLocally();
                    return;
                }
            }
        }
        queuePair.serveAgain();
    }

    /// Flushes the output. If the write fails, unread answers may have arrived before; they still count.
    private FrameOutput.Step flush() throws IOException {
        try {
            return output.flush();
        } catch (IOException failure) {
            receive(Integer.MAX_VALUE);
            throw failure;
        }
    }

    private void takeRequests() {
        while (output.hasRoom()) {
            SendSlot slot = requester.next();
            if (slot == null) {
                return;
            }
            slot.describe(request);
            Frame.putRequest(output.addFrame(), request);
            if (slot.region != null && !slot.isRead()) {
                output.addPayload(slot.region, slot.localAddress, slot.length);
            }
        }
    }

    @Override
    public void onWritable() throws IOException {
        if (!ended) {
            sendRequests();
        }
    }

    @Override
    public void onReadable() throws IOException {
        receive(FRAMES_AT_ONCE);
    }

    private void receive(int limit) throws IOException {
        for (int i = 0; i < limit && !ended; i++) {
            switch (input.next()) {
                case IDLE -> {
                    return;
                }
                case END -> lose();
                case HEADER -> onAnswer();
                case PAYLOAD -> onData();
                case REVOKED -> requester.failLocally();
            }
        }
        if (!ended) {
            // A complete header may already be buffered while the socket stays silent, so no event would resume this.
            connection.loop().submit(() -> connection.guarded(this::onReadable));
        }
    }

    private void onAnswer() {
        byte kind = Frame.answerKind(input.header());
        int sequence = Frame.sequence(input.header());
        boolean makesSense = switch (kind) {
            case Frame.ACK -> requester.acknowledge(sequence);
            case Frame.NAK -> {
                WorkStatus status = Frame.refusal(input.header());
                yield status != null && requester.refuse(sequence, status);
            }
            case Frame.READ_DATA -> onRead(sequence, Frame.length(input.header()));
            default -> false;
        };
        if (!makesSense) {
            lose();
        }
    }

    private boolean onRead(int sequence, long length) {
        SendSlot slot = requester.answeredRead(sequence, length);
        if (slot == null) {
            return false;
        }
        reading = slot;
        if (slot.region != null) {
            input.expectPayload(slot.region, slot.localAddress, length);
        } else {
            onData();
        }
        return true;
    }

    private void onData() {
        SendSlot slot = reading;
        reading = null;
        if (slot != null && requester.acknowledge(slot.sequence) && !ended) {
            // Another READ may have waited for this READ's completion.
            proceed();
        }
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

    /// Closes the connection.
    @Override
    public void end() {
        ended = true;
        connection.close();
    }
}
