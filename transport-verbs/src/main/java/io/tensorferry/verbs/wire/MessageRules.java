package io.tensorferry.verbs.wire;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The rules between the fields of a message, checked for local messages and for decoded ones.
final class MessageRules {
    private static final long MAX_CHECKSUM = 0xFFFFFFFFL;
    private static final int MAX_SLOTS = 0xFFFF;

    private MessageRules() {}

    static void checkRequestIndex(int requestIndex) {
        if (!RequestIndex.isValid(requestIndex)) {
            throw new IllegalArgumentException(RequestIndex.describe(requestIndex));
        }
    }

    static void checkKey(String key) {
        checkText("the rendezvous key", key);
    }

    private static void checkText(String what, String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(what + " is empty");
        }
        // A lone surrogate would reach the peer as another character, and the peer would wait for a key that is never
        // sent.
        if (!Utf8.isWellFormed(text)) {
            throw new IllegalArgumentException(what + " '" + text + "' is not well-formed Unicode");
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
                        "a request that names its key must have at most " + MessageLayout.MAX_NAMING_BYTES + " bytes");
            }
        }
    }

    static void checkDestination(@Nullable TensorMetaData metaData, long address, int remoteKey) {
        checkMemory(metaData == null ? 0 : metaData.byteSize(), address, remoteKey);
    }

    /// Checks a request for a content in pieces, whose memory is named later, piece by piece.
    static void checkInPieces(TensorMetaData metaData, long address, int remoteKey) {
        checkNumeric(metaData);
        if (metaData.byteSize() == 0) {
            throw new IllegalArgumentException(metaData + " has no content to request in pieces");
        }
        checkMemory(0, address, remoteKey);
    }

    static void checkPiece(int number, int bytes, long address, int remoteKey) {
        checkCount("piece", number);
        if (bytes < 1) {
            throw new IllegalArgumentException("bytes of a piece " + bytes + " must be 1 or more");
        }
        checkMemory(bytes, address, remoteKey);
    }

    static void checkMemory(long bytes, long address, int remoteKey) {
        if (bytes == 0) {
            if (address != 0 || remoteKey != 0) {
                throw new IllegalArgumentException(
                        "address 0x%x and remote key 0x%x must be 0 where no content is expected"
                                .formatted(address, remoteKey));
            }
        } else if (address == 0 || Long.compareUnsigned(address + bytes, address) < 0) {
            throw new IllegalArgumentException(
                    "%d bytes of content at address 0x%x exceed the address space".formatted(bytes, address));
        }
    }

    static void checkContent(TensorMetaData metaData, @Nullable ByteBuffer content) {
        if (content != null && content.remaining() != metaData.byteSize()) {
            throw new IllegalArgumentException(content.remaining() + " bytes of content do not match " + metaData);
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

    static void checkSlots(int slots) {
        if (slots < 1 || slots > MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "slots " + Integer.toUnsignedString(slots) + " must be in [1, " + MAX_SLOTS + "]");
        }
    }

    static void checkOffered(String key, @Nullable TensorMetaData metaData) {
        checkKey(key);
        if (!MessageCodec.mayName(key, metaData)) {
            throw new IllegalArgumentException("an offer of an edge may have " + MessageLayout.MAX_NAMING_BYTES
                    + " bytes; the key '" + key + "' is too long");
        }
    }

    static void checkNumeric(TensorMetaData metaData) {
        if (metaData.dead() || !metaData.dataType().isDmaAble()) {
            throw new IllegalArgumentException(metaData + " has no content that can be sent as raw bytes");
        }
    }

    static void checkPart(int part) {
        if (part < 0 || part >= Message.OfPart.COUNT) {
            throw new IllegalArgumentException(
                    "part " + Integer.toUnsignedString(part) + " must be in [0, " + Message.OfPart.COUNT + ")");
        }
    }

    static void checkOpened(String name, TensorMetaData metaData) {
        checkText("the name of a tensor", name);
        checkNumeric(metaData);
        if (metaData.shape().rank() != 2) {
            throw new IllegalArgumentException(metaData + " must have rows and columns");
        }
        if (!MessageCodec.mayName(name, metaData)) {
            throw new IllegalArgumentException("a request for a part may have " + MessageLayout.MAX_NAMING_BYTES
                    + " bytes; the name '" + name + "' is too long");
        }
    }

    static void checkFailure(StatusCode code) {
        if (code == StatusCode.OK) {
            throw new IllegalArgumentException("a failure status must not have the code OK");
        }
    }

    static void checkChecksum(OptionalLong checksum) {
        if (checksum.isPresent() && (checksum.getAsLong() < 0 || checksum.getAsLong() > MAX_CHECKSUM)) {
            throw new IllegalArgumentException("checksum 0x%x does not fit in 32 bits".formatted(checksum.getAsLong()));
        }
    }
}
