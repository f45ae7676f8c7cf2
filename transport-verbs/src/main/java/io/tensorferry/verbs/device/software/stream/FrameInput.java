package io.tensorferry.verbs.device.software.stream;

import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.core.PayloadMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// Reads frames from a socket: headers into an internal buffer, payload directly into registered memory. The read of
/// the end of a payload also takes the next header, so that a stream of messages costs one system call per message.
public final class FrameInput {
    /// The outcome of a call.
    public enum Step {
        /// The socket has no more bytes now.
        IDLE,
        /// A header is complete; see [FrameInput#header()].
        HEADER,
        /// The expected payload is in place.
        PAYLOAD,
        /// Access to the target ended: the region was closed, or the window's binding ended.
        REVOKED,
        /// The peer has closed the connection.
        END
    }

    private final SocketChannel channel;
    private final PayloadCounters counters;
    private final ByteBuffer header = ByteBuffer.allocateDirect(Frame.BYTES);
    private final ByteBuffer[] payloadAndHeader = new ByteBuffer[2];
    private @Nullable PayloadMemory region;
    private long address;
    private long remaining;
    private @Nullable ByteBuffer view;
    /// Set if the last read left room in the buffer: another read would return nothing, so this saves a system call.
    private boolean drained;

    public FrameInput(SocketChannel channel, PayloadCounters counters) {
        this.channel = channel;
        this.counters = counters;
    }

    /// The last complete header, valid until the next call. To be read with absolute offsets.
    public ByteBuffer header() {
        return header;
    }

    /// Declares the next `length` bytes, 1 or more, as payload for this target.
    void expectPayload(PayloadMemory target, long at, long length) {
        region = target;
        address = at;
        remaining = length;
    }

    public Step next() throws IOException {
        while (true) {
            PayloadMemory target = region;
            if (target != null) {
                if (remaining == 0) {
                    region = null;
                    view = null;
                    return Step.PAYLOAD;
                }
                if (!target.isOpen()) {
                    region = null;
                    view = null;
                    return Step.REVOKED;
                }
            } else if (!header.hasRemaining()) {
                header.clear();
                return Step.HEADER;
            }
            if (drained) {
                drained = false;
                return Step.IDLE;
            }
            if (!(target == null ? readHeader() : readPayload(target))) {
                return Step.END;
            }
        }
    }

    private boolean readHeader() throws IOException {
        int count = channel.read(header);
        drained = header.hasRemaining();
        return count >= 0;
    }

    private boolean readPayload(PayloadMemory target) throws IOException {
        ByteBuffer into = view;
        if (into == null || !into.hasRemaining()) {
            into = target.view(address, remaining);
            view = into;
        }
        int before = into.remaining();
        long count;
        if (before == remaining) {
            payloadAndHeader[0] = into;
            payloadAndHeader[1] = header;
            count = channel.read(payloadAndHeader);
            drained = header.hasRemaining();
        } else {
            count = channel.read(into);
            drained = into.hasRemaining();
        }
        int arrived = before - into.remaining();
        address += arrived;
        remaining -= arrived;
        counters.addReceived(into, arrived);
        return count >= 0;
    }
}
