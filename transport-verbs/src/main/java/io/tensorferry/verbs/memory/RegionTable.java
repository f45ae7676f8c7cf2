package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.MemoryRegion;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// Finds the memory region that contains an address range. Regions may overlap.
///
/// Threading: any thread. A look-up reads one immutable snapshot without a lock or an allocation, in O(log n) if
/// regions do not overlap. An update copies the snapshot, which is cheap compared with the registration.
final class RegionTable {
    /// Also contains every region of this table.
    private final @Nullable RegionTable wider;
    private volatile Snapshot snapshot = Snapshot.of(new MemoryRegion[0]);

    RegionTable() {
        this.wider = null;
    }

    /// @param wider also receives every region of this table
    RegionTable(RegionTable wider) {
        this.wider = wider;
    }

    /// Returns a region that contains all of `[address, address + length)`, or null.
    @Nullable
    MemoryRegion find(long address, long length) {
        return snapshot.find(address, length);
    }

    synchronized void add(MemoryRegion region) {
        if (wider != null) {
            wider.add(region);
        }
        MemoryRegion[] regions = Arrays.copyOf(snapshot.regions, snapshot.regions.length + 1);
        regions[regions.length - 1] = region;
        Arrays.sort(regions, Comparator.comparingLong(MemoryRegion::address));
        snapshot = Snapshot.of(regions);
    }

    @SuppressWarnings("ReferenceEquality") // two registrations of the same memory are two, whatever equals() says
    synchronized void remove(MemoryRegion region) {
        if (wider != null) {
            wider.remove(region);
        }
        MemoryRegion[] regions = Arrays.stream(snapshot.regions)
                .filter(candidate -> candidate != region)
                .toArray(MemoryRegion[]::new);
        snapshot = Snapshot.of(regions);
    }

    /// @param regions the regions, sorted by start address
    /// @param starts the start address of each
    /// @param ends the end address (exclusive) of each
    /// @param furthest the maximum of `ends` up to each index; ends a look-up when no earlier region reaches far enough
    @SuppressWarnings("ArrayRecordComponent") // never compared, never handed out
    private record Snapshot(MemoryRegion[] regions, long[] starts, long[] ends, long[] furthest) {
        static Snapshot of(MemoryRegion[] regions) {
            int count = regions.length;
            var result = new Snapshot(regions, new long[count], new long[count], new long[count]);
            long furthest = 0;
            for (int i = 0; i < count; i++) {
                result.starts[i] = regions[i].address();
                result.ends[i] = regions[i].address() + regions[i].byteSize();
                furthest = Math.max(furthest, result.ends[i]);
                result.furthest[i] = furthest;
            }
            return result;
        }

        @Nullable
        MemoryRegion find(long address, long length) {
            // Addresses are never negative, so subtraction cannot overflow where addition could.
            if (length < 0 || address < 0 || length > Long.MAX_VALUE - address) {
                return null;
            }
            long end = address + length;
            for (int i = lastNotAfter(address); i >= 0 && furthest[i] >= end; i--) {
                if (ends[i] >= end) {
                    return regions[i];
                }
            }
            return null;
        }

        /// The last index whose region starts at or before `address`; -1 if there is none.
        private int lastNotAfter(long address) {
            int low = 0;
            int high = starts.length - 1;
            while (low <= high) {
                int middle = (low + high) >>> 1;
                if (starts[middle] <= address) {
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            return high;
        }
    }
}
