package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A device's memory regions and windows by key: drawn at random, because a key is all that keeps a peer from other
/// memory. No two share the upper 24 bits, since the low 8 of a window's key change.
///
/// An open-addressing hash table whose entries carry their own keys, so that a look-up allocates nothing and takes
/// no lock.
///
/// Threading: keys are added and removed by any thread, one at a time; looked up by any thread at the same time.
final class KeyTable {
    private static final int SMALLEST = 64;
    private static final int COUNTED_BITS = 8;

    private final RandomGenerator random;
    private volatile AtomicReferenceArray<@Nullable KeyHolder> slots = new AtomicReferenceArray<>(SMALLEST);
    /// Slots that hold something, open or closed: what is closed stays as a mark for the search until the table is
    /// built anew.
    private int used;

    KeyTable(RandomGenerator random) {
        this.random = random;
    }

    /// A key that nobody has. The caller adds something with it before anybody draws again, so it holds this table's
    /// monitor meanwhile.
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

    /// The open region of `domain` with this key that holds all of `[address, address + length)` and grants
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

    /// Looks for the region with this key, or for the window, that lets the peer of `asking` do this with all of
    /// `[address, address + length)`. On the loop.
    ///
    /// @param found is set to what was found
    /// @return false if there is nothing
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

    /// The keys are random already: some of their bits are the hash.
    private static int start(AtomicReferenceArray<@Nullable KeyHolder> table, int key) {
        return key >>> COUNTED_BITS & table.length() - 1;
    }
}
