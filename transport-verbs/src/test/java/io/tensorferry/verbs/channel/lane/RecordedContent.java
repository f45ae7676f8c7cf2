package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.RequestIndex;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/// A content that records its end.
public final class RecordedContent extends ContentWrite {
    public static final long LOCAL = 1L << 40;
    public static final long REMOTE = 1L << 41;

    private final int slot;
    private final List<String> events;
    private final Message carried;

    /// @param slot of its request index
    /// @param events receives `written N` or `abandoned N` at the end
    public RecordedContent(int slot, long length, List<String> events) {
        super(LOCAL, length, 1, REMOTE, 2, RequestIndex.of(slot, 0));
        this.slot = slot;
        this.events = events;
        this.carried = new Message.TensorContent(
                0, RequestIndex.of(slot, 0), ByteBuffer.wrap(new byte[(int) Math.min(length, 8192)]));
    }

    /// The part of the content that is in the ring.
    public Message carried() {
        return carried;
    }

    @Override
    public int encodedSize() {
        return carried.encodedSize();
    }

    @Override
    public int encode(MemorySegment target, long offset, int room) {
        return carried.encode(target, offset, room);
    }

    @Override
    public void onWritten() {
        events.add("written " + slot);
    }

    @Override
    public void onAbandoned() {
        events.add("abandoned " + slot);
    }
}
