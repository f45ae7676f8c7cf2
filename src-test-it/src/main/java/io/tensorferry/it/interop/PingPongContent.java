package io.tensorferry.it.interop;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/// The content of the messages.
///
/// `ibv_rc_pingpong -c` checks the first byte of each page of a message, which must be zero; all other bytes are
/// random, and different in each message.
final class PingPongContent {
    private static final long PAGE = 4096;

    private PingPongContent() {}

    static void fill(MemorySegment message, int round) {
        var random = new SplittableRandom(round);
        long words = message.byteSize() / Long.BYTES * Long.BYTES;
        for (long at = 0; at < words; at += Long.BYTES) {
            message.set(ValueLayout.JAVA_LONG_UNALIGNED, at, random.nextLong());
        }
        for (long at = words; at < message.byteSize(); at++) {
            message.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
        }
        for (long page = 0; page < message.byteSize(); page += PAGE) {
            message.set(ValueLayout.JAVA_BYTE, page, (byte) 0);
        }
    }

    /// @throws PingPongException if the bytes differ
    static void check(MemorySegment received, MemorySegment expected, int round) {
        long at = received.mismatch(expected);
        if (at >= 0) {
            throw new PingPongException("message %d is wrong at byte %d: %#04x instead of %#04x"
                    .formatted(
                            round,
                            at,
                            received.get(ValueLayout.JAVA_BYTE, at),
                            expected.get(ValueLayout.JAVA_BYTE, at)));
        }
    }

    /// Checks the first message of a peer with `-c`.
    ///
    /// @throws PingPongException if a page does not begin with zero
    static void checkPages(MemorySegment received) {
        for (long page = 0; page < received.byteSize(); page += PAGE) {
            if (received.get(ValueLayout.JAVA_BYTE, page) != 0) {
                throw new PingPongException("the first message is wrong at byte " + page + ", which is not zero");
            }
        }
    }
}
