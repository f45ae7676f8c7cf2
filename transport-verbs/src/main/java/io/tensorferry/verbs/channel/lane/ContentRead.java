package io.tensorferry.verbs.channel.lane;

/// The content of one tensor that is read from the peer: over the lanes that a content of its size is written over. It
/// may be used again after its end.
///
/// Owner: the loop. The memory stays until [#onContentRead()] or [#onContentAbandoned()].
public abstract class ContentRead {
    private long localAddress;
    private long length;
    private int localKey;
    private long remoteAddress;
    private int remoteKey;
    private int partsLeft;
    private boolean abandoned;

    /// Of nothing yet; [#set] says of what.
    protected ContentRead() {}

    /// Says what is to be read; not while it is under way.
    ///
    /// @param length bytes, 1 or more
    protected final void set(long localAddress, long length, int localKey, long remoteAddress, int remoteKey) {
        this.localAddress = localAddress;
        this.length = length;
        this.localKey = localKey;
        this.remoteAddress = remoteAddress;
        this.remoteKey = remoteKey;
    }

    long length() {
        return length;
    }

    /// @param parts of it, each of which [#part] makes
    void begin(int parts) {
        partsLeft = parts;
        abandoned = false;
    }

    /// The reads of one lane.
    ///
    /// @param from offset of the first byte
    /// @param end offset behind the last, more than `from`
    /// @param chunkBytes the most of one read
    ReadBatch part(long from, long end, int chunkBytes) {
        return new Part(from, end, chunkBytes);
    }

    private final class Part extends ReadBatch {
        private final long from;
        private final long end;
        private final int chunkBytes;

        private Part(long from, long end, int chunkBytes) {
            super(Math.toIntExact((end - from - 1) / chunkBytes + 1));
            this.from = from;
            this.end = end;
            this.chunkBytes = chunkBytes;
        }

        @Override
        protected void describe(int index, ReadRequest into) {
            long at = from + (long) index * chunkBytes;
            into.set(localAddress + at, Math.min(chunkBytes, end - at), localKey, remoteAddress + at, remoteKey);
        }

        @Override
        public void onRead() {
            partDone();
        }

        @Override
        public void onAbandoned() {
            abandoned = true;
            partDone();
        }
    }

    private void partDone() {
        if (--partsLeft > 0) {
            return;
        }
        if (abandoned) {
            onContentAbandoned();
        } else {
            onContentRead();
        }
    }

    /// All of it is here; the device is done with the memory.
    protected abstract void onContentRead();

    /// The channel failed first; the device is done with the memory.
    public abstract void onContentAbandoned();
}
