package io.tensorferry.verbs.memory;

/// What registered memory looked like at one moment.
///
/// @param slabs slabs registered now, those of large requests included
/// @param slabBytes bytes of these slabs together
/// @param bytesInUse bytes given out now, each piece rounded up to 64
/// @param highWaterBytes the most that `bytesInUse` has been
/// @param allocations pieces given out since the start
/// @param userRegions registrations of users' memory that are open now
public record MemoryStatistics(
        int slabs, long slabBytes, long bytesInUse, long highWaterBytes, long allocations, int userRegions) {}
