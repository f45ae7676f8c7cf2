package io.tensorferry.verbs.channel;

/// The content of one tensor on its way into the peer's memory: `length` bytes from `localAddress` to
/// `remoteAddress`, then `immediate`.
///
/// Owner: the loop. The memory stays alive and unchanged until [#onWritten()] or [#onAbandoned()].
public abstract class ContentWrite {
    final long localAddress;
    final long length;
    final int localKey;
    final long remoteAddress;
    final int remoteKey;
    final int immediate;
    // Lanes that have not written their part.
    int lanesLeft = 1;

    /// @param length bytes, 0 or more; with 0 no address and no key is used
    /// @param immediate the request index
    protected ContentWrite(
            long localAddress, long length, int localKey, long remoteAddress, int remoteKey, int immediate) {
        this.localAddress = localAddress;
        this.length = length;
        this.localKey = localKey;
        this.remoteAddress = remoteAddress;
        this.remoteKey = remoteKey;
        this.immediate = immediate;
    }

    /// The peer has all of it; the device is done with the memory.
    protected abstract void onWritten();

    /// The channel failed first; the device is done with the memory.
    protected abstract void onAbandoned();
}
