package io.tensorferry.verbs.channel.lane;

/// The content of one tensor, read from the peer over the lanes that a write of its size would use. Reusable after its
/// end.
///
/// Owner: the loop. The memory stays valid until [#onContentRead()] or [#onContentAbandoned()].
public abstract class ContentRead {
    private long localAddress;
    private long length;
    private int localKey;
    private long remoteAddress;
    private int remoteKey;
    private int partsLeft;
    private boolean abandoned;

    /// Creates an empty read; [#set] describes it.
    protected ContentRead() {}

    /// Describes the read. Must not be called while it is in progress.
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

    /// @param parts number of parts, each created by [#part]
    void begin(int parts) {
        partsLeft = parts;
        abandoned = false;
    }

    /// Creates the reads of one lane.
    ///
    /// @param from offset of the first byte
    /// @param end offset after the last byte, more than `from`
    /// @param chunkBytes the most bytes of one read
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

    /// Called when the whole content has arrived. The device no longer uses the memory.
    protected abstract void onContentRead();

    /// Called if the channel failed first. The device no longer uses the memory.
    public abstract void onContentAbandoned();
}
