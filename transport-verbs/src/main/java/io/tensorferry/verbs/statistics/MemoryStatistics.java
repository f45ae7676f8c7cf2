package io.tensorferry.verbs.statistics;

/// What registered memory looked like at one moment, that which peers read included.
///
/// @param slabs slabs registered now, those of large requests included
/// @param slabBytes bytes of these slabs together
/// @param bytesInUse bytes given out now, each piece rounded up to 64
/// @param highWaterBytes the most that `bytesInUse` has been; of memory that peers read by itself, and added
/// @param allocations pieces given out since the start
/// @param userRegions registrations of users' memory that are open now
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
