package io.tensorferry.verbs.device.software.tcp;

import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.core.Request;
import io.tensorferry.verbs.device.software.core.Requester;
import io.tensorferry.verbs.device.software.core.SendSlot;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// The connection that a queue pair dialled: its requests go out, the peer's answers come in.
///
/// | state | event | next state, action |
/// |---|---|---|
/// | CONNECTING | connected | GREETING, say hello |
/// | GREETING | accepted | ESTABLISHED, send requests here |
/// | GREETING | accepted, SHARED follows | INTRODUCED |
/// | INTRODUCED | SHARED, and it can be used | ESTABLISHED, send requests by the [Bypass]; nothing more comes here |
/// | INTRODUCED | anything else | ENDED, the link may dial again |
/// | GREETING | refused, or anything else | ENDED, the link may dial again |
/// | ESTABLISHED | answer | complete requests |
/// | ESTABLISHED | garbage, closed, reset | ENDED, the peer is lost |
/// | any | [#end] | ENDED |
///
/// Threading: on the loop only.
final class RequesterSide implements Connection.Handler {
    private static final int FRAMES_AT_ONCE = 64;
    private static final int BATCHES_AT_ONCE = 4;

    private enum State {
        CONNECTING,
        GREETING,
        INTRODUCED,
        ESTABLISHED,
        ENDED
    }

    private final TcpLink link;
    private final Requester requester;
    private final Connection connection;
    private final FrameInput input;
    private final FrameOutput output;
    private final Request request = new Request();
    private State state = State.CONNECTING;
    /// The other way, offered to the peer and then taken; null if there is none.
    private Bypass.@Nullable Requests beside;
    /// The READ whose data come in.
    private @Nullable SendSlot reading;

    /// Dials; returns at once.
    RequesterSide(TcpLink link, SocketChannel channel, InetSocketAddress peer) throws IOException {
        this.link = link;
        this.requester = link.queuePair().requester();
        this.input = new FrameInput(channel, link.counters());
        this.output = new FrameOutput(channel, link.counters());
        this.connection = new Connection(link.loop(), channel, SelectionKey.OP_CONNECT, this);
        if (channel.connect(peer)) {
            greet();
        }
    }

    boolean isEstablished() {
        return state == State.ESTABLISHED;
    }

    /// Whether somebody took the call and has not answered the hello yet.
    boolean isGreeting() {
        return state == State.GREETING || state == State.INTRODUCED;
    }

    /// Whether requests go the other way.
    boolean isBeside() {
        return state == State.ESTABLISHED && beside != null;
    }

    private void greet() throws IOException {
        state = State.GREETING;
        connection.connected();
        beside = link.requestsBeside(this::lose);
        Frame.putHello(output.addFrame(), link.hello(beside != null));
        if (beside != null) {
            ByteBuffer offer = output.addFrame();
            Frame.putShared(offer);
            beside.putOffer(offer);
        }
        if (output.flush() != FrameOutput.Step.DONE) {
            throw new IOException("a fresh connection took no hello");
        }
        connection.loop().schedule(link.helloTimeoutNs(), () -> {
            if (isGreeting()) {
                end();
                link.noAnswer(this);
            }
        });
    }

    /// Sends what the requester has.
    void transmit() {
        Bypass.Requests other = beside;
        if (other != null) {
            other.transmit();
        } else {
            connection.guarded(this::sendRequests);
        }
    }

    private void sendRequests() throws IOException {
        for (int batch = 0; batch < BATCHES_AT_ONCE; batch++) {
            takeRequests();
            if (state != State.ESTABLISHED || output.isEmpty()) {
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
        link.queuePair().serveAgain();
    }

    /// A write that fails may come after answers that nobody has read: they count.
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
        if (state == State.CONNECTING) {
            connection.channel().finishConnect();
            greet();
        } else if (state == State.ESTABLISHED) {
            sendRequests();
        }
    }

    @Override
    public void onReadable() throws IOException {
        receive(FRAMES_AT_ONCE);
    }

    private void receive(int limit) throws IOException {
        for (int i = 0; i < limit && state != State.ENDED; i++) {
            switch (input.next()) {
                case IDLE -> {
                    return;
                }
                case END -> {
                    if (isBeside() && beside != null) {
                        // Answers that were given before.
                        beside.receive();
                    }
                    lose();
                }
                case HEADER -> onFrame();
                case PAYLOAD -> onData();
                case REVOKED -> requester.failLocally();
            }
        }
        if (state == State.ESTABLISHED) {
            // A header may be complete already, and the socket silent: nobody else would come back for it.
            connection.loop().submit(() -> connection.guarded(this::onReadable));
        }
    }

    private void onFrame() {
        if (isGreeting()) {
            onAnswerToHello();
            return;
        }
        if (beside != null) {
            lose();
            return;
        }
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

    private void onAnswerToHello() {
        ByteBuffer header = input.header();
        Bypass.Requests other = beside;
        if (state == State.INTRODUCED) {
            if (other != null && Frame.beginsShared(header) && other.accepted(header)) {
                establish();
            } else {
                link.doWithoutBypass();
                lose();
            }
        } else if (Frame.answerKind(header) != Frame.HELLO_ACCEPTED) {
            lose();
        } else if (Frame.isShared(header)) {
            state = State.INTRODUCED;
        } else if (link.mayUseConnections()) {
            if (other != null) {
                beside = null;
                other.end();
            }
            establish();
        } else {
            lose();
        }
    }

    private void establish() {
        state = State.ESTABLISHED;
        link.established();
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
        if (slot != null && requester.acknowledge(slot.sequence) && state == State.ESTABLISHED) {
            // Another READ may have waited for this one.
            transmit();
        }
    }

    @Override
    public void onFailure(Exception failure) {
        lose();
    }

    private void lose() {
        State before = state;
        end();
        if (before == State.ESTABLISHED) {
            link.lost(this);
        } else if (before != State.ENDED) {
            link.notAccepted(this);
        }
    }

    /// Closes the connection; neither registered memory nor the requester is touched any more.
    void end() {
        state = State.ENDED;
        connection.close();
        Bypass.Requests other = beside;
        if (other != null) {
            other.end();
        }
    }
}
