package io.tensorferry.verbs.device.software.stream;

import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.core.PayloadMemory;
import io.tensorferry.verbs.device.software.core.Request;
import io.tensorferry.verbs.device.software.core.Responder;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import io.tensorferry.verbs.device.software.loop.Connection;
import io.tensorferry.verbs.device.software.loop.Direction;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Executes a peer's requests in order over the connection that the peer's requester dialled, and sends the answers.
///
/// Reading stops while a request waits for a posted receive, and while READ data are sent; later requests wait in the
/// sockets. One acknowledgement covers all requests that one turn executed.
///
/// Threading: on the loop only.
public final class StreamResponder implements Direction, Connection.Handler {
    private static final int FRAMES_AT_ONCE = 64;

    private final Responder responder;
    private final Connection connection;
    private final Consumer<Direction> onLost;
    private final int rnrRetry;
    private final FrameInput input;
    private final FrameOutput output;
    private final Request request = new Request();
    private boolean ended;
    /// Whether the data of a READ are being sent.
    private boolean answeringRead;
    /// Whether the request waits for a posted receive.
    private boolean held;

    private boolean acknowledgementDue;
    private int executed;

    /// @param connection a connection that delivered a hello for this queue pair
    /// @param onLost runs once if the connection ends or a request is refused; does not run if this side ends it
    public StreamResponder(
            SoftwareQueuePair queuePair, Connection connection, int rnrRetry, Consumer<Direction> onLost) {
        PayloadCounters counters = queuePair.device().counters();
        this.responder = queuePair.responder();
        this.connection = connection;
        this.onLost = onLost;
        this.rnrRetry = rnrRetry;
        this.input = new FrameInput(connection.channel(), counters);
        this.output = new FrameOutput(connection.channel(), counters);
        connection.setHandler(this);
    }

    /// Sends the acceptance of the hello to the peer.
    public void accept() {
        Frame.putAnswer(output.addFrame(), Frame.HELLO_ACCEPTED, 0, WorkStatus.SUCCESS, 0);
        connection.guarded(this::sendAnswers);
    }

    @Override
    public void onReadable() throws IOException {
        for (int i = 0; i < FRAMES_AT_ONCE && !ended && !held && !answeringRead; i++) {
            switch (input.next()) {
                case IDLE -> {
                    sendAnswers();
                    return;
                }
                case END -> lose();
                case HEADER -> onRequest();
                case PAYLOAD -> proceedWith(responder.finish(request));
                case REVOKED -> proceedWith(responder.revoke(request));
            }
        }
        if (!ended) {
            sendAnswers();
            if (!held && !answeringRead) {
                // A complete header may already be buffered while the socket stays silent, so no event would resume
                // this.
                connection.loop().submit(this::resume);
            }
        }
    }

    private void onRequest() throws IOException {
        if (Frame.readRequest(input.header(), request) && request.sequence == responder.expectedSequence()) {
            proceedWith(responder.admit(request));
        } else {
            lose();
        }
    }

    private void proceedWith(Responder.Verdict verdict) throws IOException {
        switch (verdict) {
            case ADMITTED -> movePayload();
            case EXECUTED -> {
                acknowledgementDue = true;
                executed = request.sequence;
            }
            case NOT_READY -> hold();
            case REFUSED -> refuse();
        }
    }

    private void movePayload() throws IOException {
        PayloadMemory memory = responder.memory();
        if (request.opcode == SendWorkRequest.Opcode.RDMA_READ) {
            answerRead(memory);
        } else if (memory != null) {
            input.expectPayload(memory, responder.address(), request.length);
        } else {
            proceedWith(responder.finish(request));
        }
    }

    private void answerRead(@Nullable PayloadMemory memory) throws IOException {
        // Send a pending answer first: READ data acknowledge all earlier requests.
        sendAnswers();
        acknowledgementDue = false;
        Frame.putAnswer(output.addFrame(), Frame.READ_DATA, request.sequence, WorkStatus.SUCCESS, request.length);
        if (memory != null) {
            output.addPayload(memory, responder.address(), request.length);
        }
        responder.finish(request);
        answeringRead = true;
        sendAnswers();
        if (answeringRead) {
            connection.wantRead(false);
        }
    }

    private void hold() throws IOException {
        held = true;
        connection.wantRead(false);
        sendAnswers();
        if (!ended && !responder.awaitReceive(rnrRetry, this::proceed)) {
            refuse();
        }
    }

    /// Retries a request that waits for a posted receive.
    @Override
    public void proceed() {
        if (held && !ended) {
            held = false;
            connection.guarded(() -> proceedWith(responder.retry(request)));
            resume();
        }
    }

    /// Continues to read, unless a request still blocks it.
    private void resume() {
        if (!ended && !held && !answeringRead) {
            connection.wantRead(true);
            connection.guarded(this::onReadable);
        }
    }

    /// Sends the refusal to the peer, ends this connection, and then fails this side's queue pair if the refusal
    /// requires it.
    private void refuse() {
        ended = true;
        onLost.accept(this);
        Frame.putAnswer(output.addFrame(), Frame.NAK, request.sequence, responder.refusal(), 0);
        Drain.begin(connection, output);
        responder.refuse(request);
    }

    private void sendAnswers() throws IOException {
        while (!ended) {
            if (output.isEmpty()) {
                if (!acknowledgementDue) {
                    connection.wantWrite(false);
                    return;
                }
                acknowledgementDue = false;
                Frame.putAnswer(output.addFrame(), Frame.ACK, executed, WorkStatus.SUCCESS, 0);
            }
            switch (output.flush()) {
                case DONE -> answeringRead = false;
                case BLOCKED -> {
                    connection.wantWrite(true);
                    return;
                }
                case REVOKED -> lose();
            }
        }
    }

    @Override
    public void onWritable() throws IOException {
        boolean paused = answeringRead;
        sendAnswers();
        if (paused) {
            resume();
        }
    }

    @Override
    public void onFailure(Exception failure) {
        lose();
    }

    private void lose() {
        if (!ended) {
            ended = true;
            connection.close();
            onLost.accept(this);
        }
    }

    /// Ends the connection from this side. Answers already given still go out, except the data of a READ.
    @Override
    public void end() {
        if (!ended) {
            ended = true;
            if (output.holdsPayload()) {
                connection.close();
            } else {
                Drain.begin(connection, output);
            }
        }
    }
}
