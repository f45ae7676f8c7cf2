package io.tensorferry.verbs.device.software.stream;

import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.core.PayloadMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Writes frames to a socket: several per gathering write, headers from an internal buffer, payload directly from
/// registered memory.
public final class FrameOutput {
    /// The outcome of a call.
    public enum Step {
        DONE,
        /// The socket accepts no more bytes now.
        BLOCKED,
        /// Access to the memory of a payload ended.
        REVOKED
    }

    private static final int MAX_FRAMES = 16;
    /// The maximum number of buffers: headers, and payload in pieces of at most [PayloadMemory#MAX_VIEW_BYTES].
    private static final int MAX_BUFFERS = 64;

    private static final int MAX_BUFFERS_PER_FRAME = 6;

    private final SocketChannel channel;
    private final PayloadCounters counters;
    private final ByteBuffer[] headers = new ByteBuffer[MAX_FRAMES];
    private final @Nullable ByteBuffer[] buffers = new ByteBuffer[MAX_BUFFERS];
    /// The source of each buffer's bytes; null for a header.
    private final @Nullable PayloadMemory[] regions = new PayloadMemory[MAX_BUFFERS];

    private int frames;
    private int count;
    private int first;

    public FrameOutput(SocketChannel channel, PayloadCounters counters) {
        this.channel = channel;
        this.counters = counters;
        ByteBuffer all = ByteBuffer.allocateDirect(MAX_FRAMES * Frame.BYTES);
        for (int i = 0; i < MAX_FRAMES; i++) {
            headers[i] = all.slice(i * Frame.BYTES, Frame.BYTES);
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean hasRoom() {
        return frames < MAX_FRAMES && count <= MAX_BUFFERS - MAX_BUFFERS_PER_FRAME;
    }

    /// Adds a frame and returns its header, which the caller fills with absolute offsets.
    public ByteBuffer addFrame() {
        ByteBuffer header = headers[frames++].clear();
        add(header, null);
        return header;
    }

    /// Adds the payload of the last frame.
    void addPayload(PayloadMemory region, long address, long length) {
        for (long done = 0; done < length; ) {
            ByteBuffer view = region.view(address + done, length - done);
            done += view.remaining();
            add(view, region);
        }
    }

    private void add(ByteBuffer buffer, @Nullable PayloadMemory region) {
        buffers[count] = buffer;
        regions[count] = region;
        count++;
    }

    /// Whether payload is pending, so that the next write would read registered memory.
    boolean holdsPayload() {
        for (int i = first; i < count; i++) {
            if (regions[i] != null) {
                return true;
            }
        }
        return false;
    }

    /// Writes as many bytes as the socket accepts.
    public Step flush() throws IOException {
        if (first < count) {
            for (int i = first; i < count; i++) {
                PayloadMemory region = regions[i];
                if (region != null && !region.isOpen()) {
                    return Step.REVOKED;
                }
            }
            channel.write(buffers, first, count - first);
            dropWritten();
            if (first < count) {
                // Also after a partial write: a peer may free room as fast as this thread writes, while others wait for
                // their turn.
                return Step.BLOCKED;
            }
        }
        clear();
        return Step.DONE;
    }

    private void dropWritten() {
        while (first < count) {
            ByteBuffer buffer = buffers[first];
            if (buffer == null || buffer.hasRemaining()) {
                return;
            }
            if (regions[first] != null) {
                counters.addSent(buffer, buffer.limit());
            }
            first++;
        }
    }

    private void clear() {
        Arrays.fill(buffers, 0, count, null);
        Arrays.fill(regions, 0, count, null);
        frames = 0;
        count = 0;
        first = 0;
    }
}
