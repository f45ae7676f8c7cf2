package io.tensorferry.verbs.device.software.connect;

import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import io.tensorferry.verbs.device.software.loop.Connection;
import io.tensorferry.verbs.device.software.stream.Drain;
import io.tensorferry.verbs.device.software.stream.Frame;
import io.tensorferry.verbs.device.software.stream.FrameInput;
import io.tensorferry.verbs.device.software.stream.FrameOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// An accepted connection of a peer, until its hello is complete.
///
/// Threading: on the loop only.
final class Greeting implements Connection.Handler {
    private final InterprocessCarrier carrier;
    private final Listener listener;
    private final InetAddress source;
    private final Connection connection;
    private final FrameInput input;
    /// A hello that announced a SHARED frame.
    private Frame.@Nullable Hello introduced;

    private boolean ended;

    Greeting(InterprocessCarrier carrier, Listener listener, SocketChannel channel, InetAddress source)
            throws IOException {
        this.carrier = carrier;
        this.listener = listener;
        this.source = source;
        this.input = new FrameInput(channel, carrier.counters());
        this.connection = new Connection(carrier.loop(), channel, SelectionKey.OP_READ, this);
        carrier.loop().schedule(carrier.helloTimeoutNs(), this::end);
    }

    @Override
    public void onReadable() throws IOException {
        switch (input.next()) {
            case IDLE -> {
                // The rest of the hello is still to come.
            }
            case HEADER -> onFrame();
            case END, PAYLOAD, REVOKED -> end();
        }
    }

    private void onFrame() throws IOException {
        Frame.Hello first = introduced;
        if (first != null) {
            if (Frame.beginsShared(input.header())) {
                onHello(first, input.header());
            } else {
                end();
            }
            return;
        }
        Frame.Hello hello = Frame.hello(input.header());
        if (hello == null) {
            end();
        } else if (hello.shared()) {
            introduced = hello;
            onReadable();
        } else {
            onHello(hello, null);
        }
    }

    /// @param offer the frame SHARED that came with the hello; null if none came
    private void onHello(Frame.Hello hello, @Nullable ByteBuffer offer) {
        ended = true;
        listener.forget(this);
        SoftwareQueuePair wanted = carrier.queuePair(hello.wanted());
        if (wanted == null || !((InterprocessLink) wanted.link()).accept(connection, hello, source, offer)) {
            var output = new FrameOutput(connection.channel(), carrier.counters());
            Frame.putAnswer(output.addFrame(), Frame.HELLO_REFUSED, 0, WorkStatus.SUCCESS, 0);
            Drain.begin(connection, output);
        }
    }

    @Override
    public void onWritable() {
        // The connection has no interest in write readiness.
    }

    @Override
    public void onFailure(Exception failure) {
        end();
    }

    /// Closes the connection if its hello is still incomplete.
    void end() {
        if (!ended) {
            ended = true;
            listener.forget(this);
            connection.close();
        }
    }
}
