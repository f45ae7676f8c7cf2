package io.tensorferry.verbs.wire;

import io.tensorferry.api.TensorMetaData;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// What must hold between the fields of a message, whoever makes it: this end, or a peer whose bytes were decoded.
final class MessageRules {
    private static final long MAX_CHECKSUM = 0xFFFFFFFFL;

    private MessageRules() {}

    static void checkRequestIndex(int requestIndex) {
        if (!RequestIndex.isValid(requestIndex)) {
            throw new IllegalArgumentException(RequestIndex.describe(requestIndex));
        }
    }

    static void checkKey(String key) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("the rendezvous key is empty");
        }
        // A lone surrogate would reach the peer as another character, and the peer would wait for a key that nobody
        // sends.
        if (!Utf8.isWellFormed(key)) {
            throw new IllegalArgumentException("the rendezvous key '" + key + "' is not well-formed Unicode");
        }
    }

    static void checkNameId(int nameId) {
        if (!NameId.isValid(nameId)) {
            throw new IllegalArgumentException(
                    "name id " + Integer.toUnsignedString(nameId) + " must be in [1, " + NameId.COUNT + "]");
        }
    }

    static void checkNaming(int nameId, String key, @Nullable TensorMetaData metaData) {
        if (nameId != NameId.NONE) {
            checkNameId(nameId);
            if (!MessageCodec.mayName(key, metaData)) {
                throw new IllegalArgumentException(
                        "a request of more than " + MessageLayout.MAX_NAMING_BYTES + " bytes gives its key a name id");
            }
        }
    }

    static void checkDestination(@Nullable TensorMetaData metaData, long address, int remoteKey) {
        long bytes = metaData == null ? 0 : metaData.byteSize();
        if (bytes == 0) {
            if (address != 0 || remoteKey != 0) {
                throw new IllegalArgumentException(
                        "address 0x%x and remote key 0x%x must be 0 where no content is expected"
                                .formatted(address, remoteKey));
            }
        } else if (address == 0 || Long.compareUnsigned(address + bytes, address) < 0) {
            throw new IllegalArgumentException(
                    "%d bytes of content at address 0x%x are not within the address space".formatted(bytes, address));
        }
    }

    static void checkContent(TensorMetaData metaData, @Nullable ByteBuffer content) {
        if (content != null && content.remaining() != metaData.byteSize()) {
            throw new IllegalArgumentException(content.remaining() + " bytes of content are not those of " + metaData);
        }
    }

    static void checkChecksum(OptionalLong checksum) {
        if (checksum.isPresent() && (checksum.getAsLong() < 0 || checksum.getAsLong() > MAX_CHECKSUM)) {
            throw new IllegalArgumentException("checksum 0x%x does not fit in 32 bits".formatted(checksum.getAsLong()));
        }
    }
}
