package io.tensorferry.verbs.device.software.loop;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A socket of the device's event loop and its current handler: first the greeting, then a carrier.
///
/// Threading: on the loop only.
public final class Connection {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /// Handles the events of a socket.
    public interface Handler {
        void onReadable() throws IOException;

        /// Called when the socket accepts more bytes, or the connection is established.
        void onWritable() throws IOException;

        /// Called after a failure; the connection is already closed.
        void onFailure(Exception failure);
    }

    private final DeviceEventLoop loop;
    private final SocketChannel channel;
    private final SelectionKey key;
    private Handler handler;
    private boolean open = true;

    public Connection(DeviceEventLoop loop, SocketChannel channel, int operations, Handler firstHandler)
            throws IOException {
        this.loop = loop;
        this.channel = channel;
        this.handler = firstHandler;
        this.key = loop.register(channel, operations, this::onReady);
    }

    public DeviceEventLoop loop() {
        return loop;
    }

    public SocketChannel channel() {
        return channel;
    }

    public void setHandler(Handler newHandler) {
        handler = newHandler;
    }

    private void onReady() {
        if (!open || !key.isValid()) {
            return;
        }
        int operations = key.readyOps();
        guarded(() -> {
            if ((operations & (SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT)) != 0) {
                handler.onWritable();
            }
            if (open && (operations & SelectionKey.OP_READ) != 0) {
                handler.onReadable();
            }
        });
    }

    /// An action that reads from or writes to a socket.
    @FunctionalInterface
    public interface Action {
        void run() throws IOException;
    }

    /// Runs an action on the socket. A failure ends this connection only.
    public void guarded(Action action) {
        try {
            action.run();
        } catch (IOException failure) {
            fail(failure);
        } catch (IllegalStateException | IndexOutOfBoundsException | UnsupportedOperationException failure) {
            // The application closed an arena before the region in it.
            LOG.warn("registered memory cannot be accessed; its connection is closed", failure);
            fail(failure);
        }
    }

    private void fail(Exception failure) {
        close();
        handler.onFailure(failure);
    }

    public void wantRead(boolean wanted) {
        want(SelectionKey.OP_READ, wanted);
    }

    public void wantWrite(boolean wanted) {
        want(SelectionKey.OP_WRITE, wanted);
    }

    private void want(int operation, boolean wanted) {
        if (open) {
            int now = key.interestOps();
            int then = wanted ? now | operation : now & ~operation;
            if (then != now) {
                key.interestOps(then);
                loop.socketChanged();
            }
        }
    }

    public void connected() {
        key.interestOps(SelectionKey.OP_READ);
    }

    public void close() {
        open = false;
        try {
            channel.close();
            loop.socketChanged();
        } catch (IOException failure) {
            LOG.debug("closing a socket failed", failure);
        }
    }
}
