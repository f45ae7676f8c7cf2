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

    static void checkEdge(int edge) {
        if (edge < 0 || edge >= Immediate.EDGES) {
            throw new IllegalArgumentException(
                    "edge " + Integer.toUnsignedString(edge) + " must be in [0, " + Immediate.EDGES + ")");
        }
    }

    static void checkCount(String what, long count) {
        if (count < 0) {
            throw new IllegalArgumentException(what + " " + count + " must be 0 or more");
        }
    }

    static void checkPlaces(int places, long received, int unreleased) {
        if (places < 1 || places > 2) {
            throw new IllegalArgumentException("places " + places + " must be 1 or 2");
        }
        checkCount("received", received);
        if (unreleased < 0 || unreleased > Math.min(places, received)) {
            throw new IllegalArgumentException(
                    "unreleased " + unreleased + " of " + received + " received must be in [0, " + places + "]");
        }
    }

    static void checkOffered(String key, TensorMetaData metaData) {
        if (metaData.dead() || !metaData.dataType().isDmaAble()) {
            throw new IllegalArgumentException(metaData + " has no content that could be written by itself");
        }
        if (!MessageCodec.mayName(key, metaData)) {
            throw new IllegalArgumentException("an offer of an edge may have " + MessageLayout.MAX_NAMING_BYTES
                    + " bytes; the key '" + key + "' is too long");
        }
    }

    static void checkChecksum(OptionalLong checksum) {
        if (checksum.isPresent() && (checksum.getAsLong() < 0 || checksum.getAsLong() > MAX_CHECKSUM)) {
            throw new IllegalArgumentException("checksum 0x%x does not fit in 32 bits".formatted(checksum.getAsLong()));
        }
    }
}
