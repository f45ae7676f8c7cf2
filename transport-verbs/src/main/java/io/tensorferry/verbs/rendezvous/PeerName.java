package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import org.jspecify.annotations.Nullable;

/// What requests of a peer say again and again, made of the first: the key and what the peer expects of its tensor.
/// Immutable.
final class PeerName {
    private final @Nullable RendezvousKey key;
    private final String refusal;
    private final @Nullable TensorMetaData expected;
    private final boolean wantsChecksum;
    private final @Nullable WarmResponse warm;

    private PeerName(
            @Nullable RendezvousKey key, String refusal, @Nullable TensorMetaData expected, boolean wantsChecksum) {
        this.key = key;
        this.refusal = refusal;
        this.expected = expected;
        this.wantsChecksum = wantsChecksum;
        this.warm = expected == null || wantsChecksum ? null : new WarmResponse(expected);
    }

    static PeerName of(RendezvousKey key, @Nullable TensorMetaData expected, boolean wantsChecksum) {
        return new PeerName(key, "", expected, wantsChecksum);
    }

    /// A key that no request gets anything for.
    static PeerName refused(String why, @Nullable TensorMetaData expected) {
        return new PeerName(null, why, expected, false);
    }

    /// @throws ProtocolViolationException if no content can be written there, or none is expected and it names memory
    void checkDestination(long address, int remoteKey) {
        long bytes = expected == null ? 0 : expected.byteSize();
        if (bytes == 0
                ? address != 0 || remoteKey != 0
                : address == 0 || Long.compareUnsigned(address + bytes, address) < 0) {
            throw new ProtocolViolationException(
                    "a request names memory at 0x%x for %d bytes".formatted(address, bytes));
        }
    }

    /// Null if its requests are refused.
    @Nullable
    RendezvousKey key() {
        return key;
    }

    String refusal() {
        return refusal;
    }

    /// What the peer has memory for; null if it asks first.
    @Nullable
    TensorMetaData expected() {
        return expected;
    }

    boolean wantsChecksum() {
        return wantsChecksum;
    }

    /// The course of its responses as far as it is known; null where there is none.
    @Nullable
    WarmResponse warm() {
        return warm;
    }
}
