package io.tensorferry.verbs.device.software.connect;

import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import io.tensorferry.verbs.device.software.loop.Connection;
import io.tensorferry.verbs.device.software.loop.Direction;
import io.tensorferry.verbs.device.software.shared.RingRequester;
import io.tensorferry.verbs.device.software.stream.Frame;
import io.tensorferry.verbs.device.software.stream.FrameInput;
import io.tensorferry.verbs.device.software.stream.FrameOutput;
import io.tensorferry.verbs.device.software.stream.StreamRequester;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// A connection attempt to the peer of a queue pair. It lasts until the peer has answered the hello and a carrier takes
/// over the connection.
///
/// | state | event | next state, action |
/// |---|---|---|
/// | CONNECTING | connected | GREETING, send the hello |
/// | GREETING | accepted | ENDED, requests go over TCP |
/// | GREETING | accepted, SHARED follows | INTRODUCED |
/// | INTRODUCED | SHARED, and the memory can be mapped | ENDED, requests go through shared memory |
/// | INTRODUCED | any other | ENDED, the link may dial again |
/// | GREETING | refused, or any other | ENDED, the link may dial again |
/// | GREETING, INTRODUCED | timeout | ENDED, the peer is lost |
/// | any | [#end] | ENDED |
///
/// Threading: on the loop only.
final class Dial implements Connection.Handler {
    private enum State {
        CONNECTING,
        GREETING,
        INTRODUCED,
        ENDED
    }

    private final InterprocessLink link;
    private final SoftwareQueuePair queuePair;
    private final Connection connection;
    private final FrameInput input;
    private State state = State.CONNECTING;
    /// The ring offered to the peer; null if the peer is to use TCP.
    private @Nullable RingRequester offered;

    /// Starts to connect; returns at once.
    Dial(InterprocessLink link, SocketChannel channel, InetSocketAddress peer) throws IOException {
        this.link = link;
        this.queuePair = link.queuePair();
        this.input = new FrameInput(channel, link.counters());
        this.connection = new Connection(link.loop(), channel, SelectionKey.OP_CONNECT, this);
        if (channel.connect(peer)) {
            greet();
        }
    }

    /// Whether the peer accepted the connection and has not answered the hello yet.
    boolean isGreeting() {
        return state == State.GREETING || state == State.INTRODUCED;
    }

    private void greet() throws IOException {
        state = State.GREETING;
        connection.connected();
        var output = new FrameOutput(connection.channel(), link.counters());
        RingRequester ring = link.ringToOffer();
        offered = ring;
        Frame.putHello(output.addFrame(), link.hello(ring != null));
        if (ring != null) {
            ByteBuffer offer = output.addFrame();
            Frame.putShared(offer);
            ring.putOffer(offer);
        }
        if (output.flush() != FrameOutput.Step.DONE) {
            throw new IOException("a new connection did not accept the hello");
        }
        connection.loop().schedule(link.helloTimeoutNs(), () -> {
            if (isGreeting()) {
                end();
                link.noAnswer(this);
            }
        });
    }

    @Override
    public void onWritable() throws IOException {
        if (state == State.CONNECTING) {
            connection.channel().finishConnect();
            greet();
        }
    }

    @Override
    public void onReadable() throws IOException {
        while (isGreeting()) {
            switch (input.next()) {
                case IDLE -> {
                    return;
                }
                case HEADER -> onAnswer(input.header());
                case END, PAYLOAD, REVOKED -> fail();
            }
        }
    }

    private void onAnswer(ByteBuffer header) {
        RingRequester ring = offered;
        if (state == State.INTRODUCED) {
            if (ring != null && Frame.beginsShared(header) && ring.accepted(header)) {
                var direction = new SharedDirection(connection, link.counters(), ring, link::lost);
                handOver(direction, ConnectedBy.SHARED_MEMORY);
            } else {
                link.offerNoRing();
                fail();
            }
        } else if (Frame.answerKind(header) != Frame.HELLO_ACCEPTED) {
            fail();
        } else if (Frame.isShared(header)) {
            state = State.INTRODUCED;
        } else if (link.mayUseTcp()) {
            if (ring != null) {
                ring.end();
            }
            handOver(new StreamRequester(queuePair, connection, link::lost), ConnectedBy.TCP);
        } else {
            fail();
        }
    }

    private void handOver(Direction requests, ConnectedBy carrier) {
        state = State.ENDED;
        link.established(requests, carrier);
    }

    @Override
    public void onFailure(Exception failure) {
        fail();
    }

    private void fail() {
        if (state != State.ENDED) {
            end();
            link.notAccepted(this);
        }
    }

    /// Ends the attempt and closes the connection.
    void end() {
        state = State.ENDED;
        connection.close();
        RingRequester ring = offered;
        if (ring != null) {
            ring.end();
        }
    }
}
