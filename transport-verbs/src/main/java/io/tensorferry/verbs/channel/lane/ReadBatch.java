package io.tensorferry.verbs.channel.lane;

/// Reads of the peer's memory that belong together: posted on one lane in their order, and told when all are here. It
/// may be used again after its end.
///
/// Owner: the loop. The memory that is read into stays until [#onRead()] or [#onAbandoned()].
public abstract class ReadBatch {
    private int count;
    private int posted;

    /// @param count reads, 1 or more
    protected ReadBatch(int count) {
        setCount(count);
    }

    /// Has another number of reads; not while it is under way.
    ///
    /// @param count 1 or more
    /// @throws IllegalArgumentException if it is not
    protected final void setCount(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("a batch of " + count + " reads; it has at least 1");
        }
        this.count = count;
    }

    void begin() {
        posted = 0;
    }

    boolean isPosted() {
        return posted == count;
    }

    /// Describes the next.
    void describeNext(ReadRequest into) {
        describe(posted++, into);
    }

    /// Says what the next read is: called once for each, in order, when it is about to be posted.
    ///
    /// @param index 0 or more
    protected abstract void describe(int index, ReadRequest into);

    /// Of so many reads one asks for a completion, with the last of what is posted at once; 0 for the channel's own
    /// interval, which is also the most.
    protected int signalInterval() {
        return 0;
    }

    /// All are here; the device is done with the memory.
    public abstract void onRead();

    /// The channel failed first: some may be here, and the device is done with the memory.
    public abstract void onAbandoned();
}
