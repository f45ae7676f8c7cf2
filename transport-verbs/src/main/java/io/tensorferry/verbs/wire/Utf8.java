package io.tensorferry.verbs.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// Writes strings to memory as UTF-8 without an intermediate array, and reads them strictly.
///
/// A lone surrogate, which has no UTF-8 encoding, is written as `?`, as by [String#getBytes].
final class Utf8 {
    private Utf8() {}

    static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!isPairAt(text, i)) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    /// Encoded length of the longest prefix of `text`, in whole characters, that takes at most `limit` bytes.
    static int length(String text, int limit) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i += charsAt(text, i)) {
            int next = bytesAt(text, i);
            if (next > limit - bytes) {
                return bytes;
            }
            bytes += next;
        }
        return bytes;
    }

    /// Writes the prefix of `text` that takes `length` bytes, a result of [#length].
    static void write(String text, int length, MemorySegment target, long offset) {
        long end = offset + length;
        for (int i = 0; offset < end; i += charsAt(text, i)) {
            int size = bytesAt(text, i);
            if (size == 1) {
                char c = text.charAt(i);
                put(target, offset, Character.isSurrogate(c) ? '?' : c);
            } else {
                int codePoint = text.codePointAt(i);
                put(target, offset, leadByte(codePoint, size));
                for (int k = 1; k < size; k++) {
                    put(target, offset + k, 0x80 | ((codePoint >> (6 * (size - 1 - k))) & 0x3F));
                }
            }
            offset += size;
        }
    }

    /// @throws CharacterCodingException if the bytes are not UTF-8
    static String read(byte[] bytes, int offset, int length) throws CharacterCodingException {
        for (int i = offset; i < offset + length; i++) {
            if (bytes[i] < 0) {
                // A new decoder reports malformed input, where a String would substitute a replacement character.
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes, offset, length))
                        .toString();
            }
        }
        return new String(bytes, offset, length, StandardCharsets.US_ASCII);
    }

    private static boolean isPairAt(String text, int i) {
        return i + 1 < text.length() && Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1));
    }

    private static int charsAt(String text, int i) {
        return isPairAt(text, i) ? 2 : 1;
    }

    private static int bytesAt(String text, int i) {
        char c = text.charAt(i);
        if (c < 0x80) {
            return 1;
        }
        if (c < 0x800) {
            return 2;
        }
        if (!Character.isSurrogate(c)) {
            return 3;
        }
        return isPairAt(text, i) ? 4 : 1;
    }

    private static int leadByte(int codePoint, int size) {
        return switch (size) {
            case 2 -> 0xC0 | (codePoint >> 6);
            case 3 -> 0xE0 | (codePoint >> 12);
            default -> 0xF0 | (codePoint >> 18);
        };
    }

    private static void put(MemorySegment target, long offset, int value) {
        target.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
    }
}
