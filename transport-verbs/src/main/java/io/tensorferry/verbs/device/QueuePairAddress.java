package io.tensorferry.verbs.device;

/// The address of a queue pair, which both ends exchange before they connect. Immutable.
///
/// @param lid the port's local identifier, 0 to 65,535
/// @param queuePairNumber 24 bits
/// @param packetSequenceNumber the initial packet sequence number, 24 bits
/// @param gid the port's chosen GID
public record QueuePairAddress(int lid, int queuePairNumber, int packetSequenceNumber, Gid gid) {
    private static final int MAX_24_BITS = 0xFF_FFFF;

    /// @throws IllegalArgumentException if a number is out of its range
    public QueuePairAddress {
        if (lid < 0 || lid > 0xFFFF) {
            throw new IllegalArgumentException("lid " + lid + " is not in 0..65535");
        }
        if (queuePairNumber < 0 || queuePairNumber > MAX_24_BITS) {
            throw new IllegalArgumentException("queue pair number " + queuePairNumber + " is not in 0..16777215");
        }
        if (packetSequenceNumber < 0 || packetSequenceNumber > MAX_24_BITS) {
            throw new IllegalArgumentException(
                    "packet sequence number " + packetSequenceNumber + " is not in 0..16777215");
        }
    }
}
