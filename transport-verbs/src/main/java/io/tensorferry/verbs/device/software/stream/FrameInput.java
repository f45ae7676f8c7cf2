package io.tensorferry.verbs.device.software.stream;

import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.core.PayloadMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// Reads frames from a socket: headers into a buffer of its own, payload straight into registered memory. The read
/// that takes the end of a payload takes the next header with it, so that a stream of messages costs one system
/// call for each.
public final class FrameInput {
    /// What a call came to.
    public enum Step {
        /// The socket has no more bytes now.
        IDLE,
        /// A header is complete; see [FrameInput#header()].
        HEADER,
        /// The payload that was expected is in place.
        PAYLOAD,
        /// The payload may not go there any more: the region was closed, or the window is bound no more.
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
    /// The last read left room, so the next would find nothing: saves a system call.
    private boolean drained;

    public FrameInput(SocketChannel channel, PayloadCounters counters) {
        this.channel = channel;
        this.counters = counters;
    }

    /// The bytes of the last complete header, to be read with absolute offsets before the next call.
    public ByteBuffer header() {
        return header;
    }

    /// The next bytes are `length` of payload for this place. At least one.
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
