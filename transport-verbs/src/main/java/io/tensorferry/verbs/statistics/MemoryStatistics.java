package io.tensorferry.verbs.statistics;

/// A snapshot of registered memory, including memory that peers read. Immutable.
///
/// @param slabs slabs registered now, including those of large requests
/// @param slabBytes total bytes of these slabs
/// @param bytesInUse bytes allocated now, each allocation rounded up to 64
/// @param highWaterBytes maximum of `bytesInUse` so far; memory that peers read has a separate maximum, which is added
/// @param allocations allocations since the start
/// @param userRegions open registrations of users' memory
public record MemoryStatistics(
        int slabs, long slabBytes, long bytesInUse, long highWaterBytes, long allocations, int userRegions) {
    public MemoryStatistics with(MemoryStatistics other) {
        return new MemoryStatistics(
                slabs + other.slabs,
                slabBytes + other.slabBytes,
                bytesInUse + other.bytesInUse,
                highWaterBytes + other.highWaterBytes,
                allocations + other.allocations,
                userRegions + other.userRegions);
    }
}
