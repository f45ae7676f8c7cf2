package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Maps keys to the memory regions and windows of a device. Keys are random, because only the key protects other memory
/// from a peer. No two entries share the upper 24 bits, since the low 8 bits of a window's key change.
///
/// An open-addressing hash table whose entries carry their keys, so that a look-up allocates nothing and takes no lock.
///
/// Threading: one thread at a time adds or removes keys; any thread may look up keys concurrently.
final class KeyTable {
    private static final int SMALLEST = 64;
    private static final int COUNTED_BITS = 8;

    private final RandomGenerator random;
    private volatile AtomicReferenceArray<@Nullable KeyHolder> slots = new AtomicReferenceArray<>(SMALLEST);
    /// Slots with an entry, open or closed. A closed entry remains as a marker for the search until the table is
    /// rebuilt.
    private int used;

    KeyTable(RandomGenerator random) {
        this.random = random;
    }

    /// Draws an unused key. The caller holds this table's monitor until it has added an entry with that key, so no
    /// other thread can draw the same key.
    int drawKey() {
        while (true) {
            int key = random.nextInt();
            if (key >>> COUNTED_BITS != 0 && search(slots, key) == null) {
                return key;
            }
        }
    }

    synchronized void add(KeyHolder holder) {
        if (2 * (used + 1) > slots.length()) {
            rebuild();
        }
        insert(slots, holder);
        used++;
    }

    /// The open region of `domain` with this key that contains all of `[address, address + length)` and grants
    /// `access`; null if there is none.
    @Nullable
    SoftwareMemoryRegion find(
            int key, SoftwareProtectionDomain domain, long address, long length, @Nullable AccessFlag access) {
        return search(slots, key) instanceof SoftwareMemoryRegion region
                        && isValid(region, key, domain, address, length, access)
                ? region
                : null;
    }

    private static boolean isValid(
            SoftwareMemoryRegion region,
            int key,
            SoftwareProtectionDomain domain,
            long address,
            long length,
            @Nullable AccessFlag access) {
        return region.remoteKey() == key
                && region.isOpen()
                && region.domain() == domain
                && region.contains(address, length)
                && (access == null || region.grants(access));
    }

    /// Finds the region or window with this key that grants the peer of `asking` access to all of `[address, address +
    /// length)`. On the loop.
    ///
    /// @param found receives the result
    /// @return false if no such region or window exists
    boolean findRemote(
            int key, SoftwareQueuePair asking, long address, long length, AccessFlag access, RemoteAccess found) {
        return switch (search(slots, key)) {
            case SoftwareMemoryRegion region
            when isValid(region, key, asking.domain(), address, length, access) -> {
                found.grant(region, null);
                yield true;
            }
            case SoftwareMemoryWindow window -> {
                SoftwareMemoryRegion behind = window.admit(asking, key, address, length, access);
                if (behind != null) {
                    found.grant(behind, window);
                }
                yield behind != null;
            }
            case null, default -> false;
        };
    }

    private void rebuild() {
        var old = slots;
        int open = 0;
        for (int i = 0; i < old.length(); i++) {
            KeyHolder holder = old.get(i);
            if (holder != null && holder.isOpen()) {
                open++;
            }
        }
        var fresh =
                new AtomicReferenceArray<@Nullable KeyHolder>(Math.max(SMALLEST, Integer.highestOneBit(open + 1) * 8));
        used = 0;
        for (int i = 0; i < old.length(); i++) {
            KeyHolder holder = old.get(i);
            if (holder != null && holder.isOpen()) {
                insert(fresh, holder);
                used++;
            }
        }
        slots = fresh;
    }

    private static void insert(AtomicReferenceArray<@Nullable KeyHolder> table, KeyHolder holder) {
        int at = start(table, holder.remoteKey());
        while (table.get(at) != null) {
            at = at + 1 & table.length() - 1;
        }
        table.set(at, holder);
    }

    private static @Nullable KeyHolder search(AtomicReferenceArray<@Nullable KeyHolder> table, int key) {
        int at = start(table, key);
        while (true) {
            KeyHolder holder = table.get(at);
            if (holder == null || (holder.remoteKey() ^ key) >>> COUNTED_BITS == 0) {
                return holder;
            }
            at = at + 1 & table.length() - 1;
        }
    }

    /// Some bits of the key serve as the hash: keys are random already.
    private static int start(AtomicReferenceArray<@Nullable KeyHolder> table, int key) {
        return key >>> COUNTED_BITS & table.length() - 1;
    }
}
