package io.tensorferry.verbs.config;

/// How the rendezvous of a worker behave. Immutable.
///
/// @param dataValidation whether each receive asks for a checksum of the content and verifies it: one more round
///     trip, and two passes over the bytes
/// @param metaDataCacheEntries keys whose metadata is remembered, 1 or more; receives of further keys take one more
///     round trip
public record RendezvousOptions(boolean dataValidation, int metaDataCacheEntries) {
    private static final int DEFAULT_CACHE_ENTRIES = 65_536;

    /// @throws IllegalArgumentException naming the option that is out of its range
    public RendezvousOptions {
        if (metaDataCacheEntries < 1) {
            throw new IllegalArgumentException("metaDataCacheEntries " + metaDataCacheEntries + " must be 1 or more");
        }
    }

    public static RendezvousOptions defaults() {
        return new RendezvousOptions(false, DEFAULT_CACHE_ENTRIES);
    }
}
