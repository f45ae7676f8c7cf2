package io.tensorferry.verbs.channel.lane;

/// The description of one read of the peer's memory, reused for every read.
///
/// Owner: the loop.
public final class ReadRequest {
    long localAddress;
    long length;
    int localKey;
    long remoteAddress;
    int remoteKey;

    ReadRequest() {}

    /// @param localAddress destination of the bytes, in registered memory
    /// @param length bytes, 1 to [io.tensorferry.verbs.statistics.ChannelDescription#maxWriteBytes()]
    /// @param remoteAddress address of the bytes at the peer
    public void set(long localAddress, long length, int localKey, long remoteAddress, int remoteKey) {
        this.localAddress = localAddress;
        this.length = length;
        this.localKey = localKey;
        this.remoteAddress = remoteAddress;
        this.remoteKey = remoteKey;
    }
}
