package io.tensorferry.verbs.channel.lane;

/// One read of the peer's memory, filled in again for each.
///
/// Owner: the loop.
public final class ReadRequest {
    long localAddress;
    long length;
    int localKey;
    long remoteAddress;
    int remoteKey;

    ReadRequest() {}

    /// @param localAddress where the bytes go, in registered memory
    /// @param length bytes, 1 to [io.tensorferry.verbs.statistics.ChannelDescription#maxWriteBytes()]
    /// @param remoteAddress where they are at the peer
    public void set(long localAddress, long length, int localKey, long remoteAddress, int remoteKey) {
        this.localAddress = localAddress;
        this.length = length;
        this.localKey = localKey;
        this.remoteAddress = remoteAddress;
        this.remoteKey = remoteKey;
    }
}
