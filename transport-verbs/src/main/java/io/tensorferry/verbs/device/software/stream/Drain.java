package io.tensorferry.verbs.device.software.stream;

import io.tensorferry.verbs.device.software.loop.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Ends a connection such that the peer receives the last answers: writes them, closes this direction, and reads the
/// remaining bytes from the peer. If a socket with unread bytes were closed at once, TCP would reset the connection,
/// and a reset may overtake the answers.
public final class Drain implements Connection.Handler {
    private static final long LIMIT_NS = 2_000_000_000L;
    private static final int READS_AT_ONCE = 16;

    private final Connection connection;
    private final FrameOutput output;
    private boolean shutDown;

    private Drain(Connection connection, FrameOutput output) {
        this.connection = connection;
        this.output = output;
    }

    /// @param output answers without payload
    public static void begin(Connection connection, FrameOutput output) {
        var drain = new Drain(connection, output);
        connection.setHandler(drain);
        connection.wantRead(true);
        connection.loop().schedule(LIMIT_NS, connection::close);
        connection.guarded(drain::onWritable);
    }

    @Override
    public void onWritable() throws IOException {
        if (output.flush() == FrameOutput.Step.BLOCKED) {
            connection.wantWrite(true);
        } else if (!shutDown) {
            shutDown = true;
            connection.wantWrite(false);
            connection.channel().shutdownOutput();
        }
    }

    @Override
    public void onReadable() throws IOException {
        for (int i = 0; i < READS_AT_ONCE; i++) {
            ByteBuffer scratch = connection.loop().scratch();
            int count = connection.channel().read(scratch);
            if (count < 0) {
                connection.close();
                return;
            }
            if (scratch.hasRemaining()) {
                return;
            }
        }
    }

    @Override
    public void onFailure(Exception failure) {
        // The peer closed the connection first.
    }
}
