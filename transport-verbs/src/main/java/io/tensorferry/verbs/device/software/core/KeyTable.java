package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AccessFlag;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A device's memory regions by key: drawn at random, because a key is all that keeps a peer from other memory, and
/// unique.
///
/// An open-addressing hash table whose entries carry their own keys, so that a look-up allocates nothing and takes
/// no lock.
///
/// Threading: keys are added and removed by any thread, one at a time; looked up by any thread at the same time.
final class KeyTable {
    private static final int SMALLEST = 64;

    private final RandomGenerator random;
    private volatile AtomicReferenceArray<@Nullable SoftwareMemoryRegion> slots = new AtomicReferenceArray<>(SMALLEST);
    /// Slots that hold a region, open or closed: a closed one stays as a mark for the search until the table is
    /// built anew.
    private int used;

    KeyTable(RandomGenerator random) {
        this.random = random;
    }

    /// A key that no region has. The caller adds a region with it before anybody draws again, so it holds this
    /// table's monitor meanwhile.
    int drawKey() {
        while (true) {
            int key = random.nextInt();
            if (key != 0 && search(slots, key) == null) {
                return key;
            }
        }
    }

    synchronized void add(SoftwareMemoryRegion region) {
        if (2 * (used + 1) > slots.length()) {
            rebuild();
        }
        insert(slots, region);
        used++;
    }

    /// The open region of `domain` with this key that holds all of `[address, address + length)` and grants
    /// `access`; null if there is none.
    @Nullable
    SoftwareMemoryRegion find(
            int key, SoftwareProtectionDomain domain, long address, long length, @Nullable AccessFlag access) {
        SoftwareMemoryRegion region = search(slots, key);
        boolean valid = region != null
                && region.isOpen()
                && region.domain() == domain
                && region.contains(address, length)
                && (access == null || region.grants(access));
        return valid ? region : null;
    }

    private void rebuild() {
        var old = slots;
        int open = 0;
        for (int i = 0; i < old.length(); i++) {
            SoftwareMemoryRegion region = old.get(i);
            if (region != null && region.isOpen()) {
                open++;
            }
        }
        var fresh = new AtomicReferenceArray<@Nullable SoftwareMemoryRegion>(
                Math.max(SMALLEST, Integer.highestOneBit(open + 1) * 8));
        used = 0;
        for (int i = 0; i < old.length(); i++) {
            SoftwareMemoryRegion region = old.get(i);
            if (region != null && region.isOpen()) {
                insert(fresh, region);
                used++;
            }
        }
        slots = fresh;
    }

    private static void insert(
            AtomicReferenceArray<@Nullable SoftwareMemoryRegion> table, SoftwareMemoryRegion region) {
        int at = start(table, region.remoteKey());
        while (table.get(at) != null) {
            at = at + 1 & table.length() - 1;
        }
        table.set(at, region);
    }

    private static @Nullable SoftwareMemoryRegion search(
            AtomicReferenceArray<@Nullable SoftwareMemoryRegion> table, int key) {
        int at = start(table, key);
        while (true) {
            SoftwareMemoryRegion region = table.get(at);
            if (region == null || region.remoteKey() == key) {
                return region;
            }
            at = at + 1 & table.length() - 1;
        }
    }

    /// The keys are random already: their low bits are the hash.
    private static int start(AtomicReferenceArray<@Nullable SoftwareMemoryRegion> table, int key) {
        return key & table.length() - 1;
    }
}
