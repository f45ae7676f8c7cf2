package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.RendezvousKey;

/// Records the last look-up of keys without an entry, and marks the keys that are to get one. Owned by a
/// [MetaDataCache], under its lock.
///
/// A table of bounded size with one word per key, placed by hash. A key may lose its word to another key, or share it
/// with a key of the same hash. Either costs a round trip.
final class MissedKeys {
    private static final int WORDS_PER_ENTRY = 4;
    private static final int LEAST_WORDS = 1 << 10;
    private static final int MOST_WORDS = 1 << 24;
    private static final long WANTED = 1L << Integer.SIZE;
    private static final int KEY_SHIFT = Integer.SIZE + 1;

    // From the top: 31 bits of the hash, whether the key is wanted, the time.
    private final long[] words;

    MissedKeys(int entries) {
        long wished = Math.clamp((long) WORDS_PER_ENTRY * entries, LEAST_WORDS, MOST_WORDS);
        this.words = new long[(int) Long.highestOneBit(2 * wished - 1)];
    }

    /// Records a failed look-up of `key`. The key is wanted if its previous look-up was less than `horizon` ago; a key
    /// that may still become wanted keeps its word.
    void miss(RendezvousKey key, int now, int horizon) {
        int hash = spread(key);
        int at = hash & (words.length - 1);
        long word = words[at];
        boolean recent = word != 0 && now - (int) word < horizon;
        if (isOf(word, hash)) {
            words[at] = word(hash, now, recent);
        } else if (!recent) {
            words[at] = word(hash, now, false);
        }
    }

    /// Returns whether `key` was wanted when it was last looked up, and clears the mark.
    boolean takeWanted(RendezvousKey key) {
        int hash = spread(key);
        int at = hash & (words.length - 1);
        boolean wanted = isOf(words[at], hash) && (words[at] & WANTED) != 0;
        if (wanted) {
            words[at] = 0;
        }
        return wanted;
    }

    private static long word(int hash, int now, boolean wanted) {
        return (long) (hash >>> 1) << KEY_SHIFT | (wanted ? WANTED : 0) | Integer.toUnsignedLong(now);
    }

    private static boolean isOf(long word, int hash) {
        return word != 0 && (int) (word >>> KEY_SHIFT) == hash >>> 1;
    }

    /// Keys of one graph differ in few characters, and so do their hashes.
    private static int spread(RendezvousKey key) {
        int hash = key.hashCode() * 0x9E3779B9;
        hash = (hash ^ hash >>> 16) * 0x85EBCA6B;
        return hash ^ hash >>> 13;
    }
}
