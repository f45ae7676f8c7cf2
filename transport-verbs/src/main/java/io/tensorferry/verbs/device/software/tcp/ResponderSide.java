package io.tensorferry.verbs.device.software.tcp;

import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.core.PayloadMemory;
import io.tensorferry.verbs.device.software.core.QueuePairSettings;
import io.tensorferry.verbs.device.software.core.Request;
import io.tensorferry.verbs.device.software.core.Responder;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The connection that a peer's requester dialled: its requests come in, one after the other, and answers go out.
///
/// Reading stops while a request waits for a posted receive, and while the data of a READ go out; what the peer
/// sends meanwhile waits in the sockets. One acknowledgement goes out for all requests that one turn executed.
///
/// Threading: on the loop only.
final class ResponderSide implements Connection.Handler {
    private static final int FRAMES_AT_ONCE = 64;

    private final TcpLink link;
    private final Responder responder;
    private final Connection connection;
    private final int rnrRetry;
    private final FrameInput input;
    private final FrameOutput output;
    private final Request request = new Request();
    /// The way that requests come instead; null if it is this one.
    private Bypass.@Nullable Answers beside;

    private boolean ended;
    /// The data of a READ go out.
    private boolean answeringRead;
    /// The request waits for a posted receive.
    private boolean held;
    private boolean heldAfterPayload;
    /// Tells the timer of one wait from that of another.
    private int waits;

    private boolean acknowledgementDue;
    private int executed;

    ResponderSide(TcpLink link, Connection connection, int rnrRetry) {
        this.link = link;
        this.responder = link.queuePair().responder();
        this.connection = connection;
        this.rnrRetry = rnrRetry;
        this.input = new FrameInput(connection.channel(), link.counters());
        this.output = new FrameOutput(connection.channel(), link.counters());
        connection.setHandler(this);
    }

    /// Tells the peer that its hello was accepted.
    ///
    /// @param other the way that its requests come, if not this one
    void accept(Bypass.@Nullable Answers other) {
        ByteBuffer acceptance = output.addFrame();
        Frame.putAnswer(acceptance, Frame.HELLO_ACCEPTED, 0, WorkStatus.SUCCESS, 0);
        if (other != null) {
            beside = other;
            Frame.setShared(acceptance);
            ByteBuffer place = output.addFrame();
            Frame.putShared(place);
            other.putAnswer(place);
        }
        connection.guarded(this::sendAnswers);
    }

    /// What the peer sent by the other way makes no sense, or the peer was told there that a request is refused.
    void endBeside() {
        lose();
    }

    @Override
    public void onReadable() throws IOException {
        for (int i = 0; i < FRAMES_AT_ONCE && !ended && !held && !answeringRead; i++) {
            switch (input.next()) {
                case IDLE -> {
                    sendAnswers();
                    return;
                }
                case END -> {
                    if (beside != null) {
                        // Requests that were made before.
                        beside.serve();
                    }
                    lose();
                }
                case HEADER -> onRequest();
                case PAYLOAD -> finish();
                case REVOKED -> {
                    responder.revoke(request);
                    refuse();
                }
            }
        }
        if (!ended) {
            sendAnswers();
            if (!held && !answeringRead) {
                // A header may be complete already, and the socket silent: nobody else would come back for it.
                connection.loop().submit(this::resume);
            }
        }
    }

    private void onRequest() throws IOException {
        if (beside == null
                && Frame.readRequest(input.header(), request)
                && request.sequence == responder.expectedSequence()) {
            admit();
        } else {
            lose();
        }
    }

    private void admit() throws IOException {
        switch (responder.admit(request)) {
            case PROCEED -> {
                PayloadMemory memory = responder.memory();
                if (request.opcode == SendWorkRequest.Opcode.RDMA_READ) {
                    answerRead(memory);
                } else if (memory != null) {
                    input.expectPayload(memory, responder.address(), request.length);
                } else {
                    finish();
                }
            }
            case NOT_READY -> hold(false);
            case REFUSED -> refuse();
        }
    }

    private void finish() throws IOException {
        switch (responder.finish(request)) {
            case PROCEED -> {
                acknowledgementDue = true;
                executed = request.sequence;
            }
            case NOT_READY -> hold(true);
            case REFUSED -> refuse();
        }
    }

    private void answerRead(@Nullable PayloadMemory memory) throws IOException {
        // An answer that is being written goes first; the data acknowledge what is before them.
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

    private void hold(boolean afterPayload) throws IOException {
        held = true;
        heldAfterPayload = afterPayload;
        connection.wantRead(false);
        sendAnswers();
        if (ended || QueuePairSettings.isForEver(rnrRetry)) {
            return;
        }
        long delay = responder.notReadyDelayNs(rnrRetry);
        if (delay < 0) {
            refuse();
            return;
        }
        int wait = ++waits;
        connection.loop().schedule(delay, () -> {
            if (wait == waits) {
                retry();
            }
        });
    }

    /// Looks again for a posted receive, if a request waits for one.
    void retry() {
        if (beside != null) {
            beside.retry();
        } else if (held && !ended) {
            held = false;
            waits++;
            connection.guarded(() -> {
                if (heldAfterPayload) {
                    finish();
                } else {
                    admit();
                }
            });
            resume();
        }
    }

    /// Reads on, unless something still keeps it from that.
    private void resume() {
        if (!ended && !held && !answeringRead) {
            connection.wantRead(true);
            connection.guarded(this::onReadable);
        }
    }

    /// The end of this connection: the peer is told, and then this side's queue pair fails, if it must.
    private void refuse() {
        ended = true;
        link.detach(this);
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
            closeBoth();
            link.detach(this);
        }
    }

    private void closeBoth() {
        connection.close();
        if (beside != null) {
            beside.end();
        }
    }

    /// Ends it from this side. Answers that were given still go out; neither registered memory nor the responder is
    /// touched any more.
    void end() {
        if (!ended) {
            ended = true;
            if (beside != null || output.holdsPayload()) {
                closeBoth();
            } else {
                Drain.begin(connection, output);
            }
        }
    }
}
