package io.tensorferry.verbs.channel.lane;

/// A group of reads of the peer's memory, posted on one lane in order, with one notification when all have completed.
/// Reusable after its end.
///
/// Owner: the loop. The local memory stays valid until [#onRead()] or [#onAbandoned()].
public abstract class ReadBatch {
    private int count;
    private int posted;

    /// @param count number of reads, 1 or more
    protected ReadBatch(int count) {
        setCount(count);
    }

    /// Changes the number of reads. Must not be called while the batch is in progress.
    ///
    /// @param count 1 or more
    /// @throws IllegalArgumentException if `count` is less
    protected final void setCount(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("a batch of " + count + " reads must have 1 or more");
        }
        this.count = count;
    }

    void begin() {
        posted = 0;
    }

    boolean isPosted() {
        return posted == count;
    }

    /// Describes the next read.
    void describeNext(ReadRequest into) {
        describe(posted++, into);
    }

    /// Describes a read. Called once for each, in order, just before it is posted.
    ///
    /// @param index 0 or more
    protected abstract void describe(int index, ReadRequest into);

    /// Every Nth read, and always the last of those posted at once, requests a completion; this returns N. 0 selects
    /// the channel's interval, which is also the maximum.
    protected int signalInterval() {
        return 0;
    }

    /// Called when all reads have completed. The device no longer uses the memory.
    public abstract void onRead();

    /// Called if the channel failed first. Some reads may have completed; the device no longer uses the memory.
    public abstract void onAbandoned();
}
