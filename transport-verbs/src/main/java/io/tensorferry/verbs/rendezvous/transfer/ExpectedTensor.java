package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import org.jspecify.annotations.Nullable;

/// The tensor that requests of a peer name: its key, and the metadata that the peer has memory for. Parsed once, from
/// the first of these requests. Immutable.
final class ExpectedTensor {
    private final @Nullable RendezvousKey key;
    private final String refusal;
    private final @Nullable TensorMetaData expected;
    private final boolean wantsChecksum;

    private ExpectedTensor(
            @Nullable RendezvousKey key, String refusal, @Nullable TensorMetaData expected, boolean wantsChecksum) {
        this.key = key;
        this.refusal = refusal;
        this.expected = expected;
        this.wantsChecksum = wantsChecksum;
    }

    static ExpectedTensor of(RendezvousKey key, @Nullable TensorMetaData expected, boolean wantsChecksum) {
        return new ExpectedTensor(key, "", expected, wantsChecksum);
    }

    /// Creates a key whose requests are all refused.
    static ExpectedTensor refused(String why, @Nullable TensorMetaData expected) {
        return new ExpectedTensor(null, why, expected, false);
    }

    /// @throws ProtocolViolationException if no content can be written there, or memory is named although no content is
    ///     expected
    void checkDestination(long address, int remoteKey) {
        long bytes = expected == null ? 0 : expected.byteSize();
        if (bytes == 0
                ? address != 0 || remoteKey != 0
                : address == 0 || Long.compareUnsigned(address + bytes, address) < 0) {
            throw new ProtocolViolationException(
                    "a request names the invalid memory 0x%x for %d bytes".formatted(address, bytes));
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

    /// The metadata that the peer has memory for; null if it has named none.
    @Nullable
    TensorMetaData expected() {
        return expected;
    }

    boolean wantsChecksum() {
        return wantsChecksum;
    }
}
