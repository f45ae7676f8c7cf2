package io.tensorferry.verbs.config;

/// Options for the rendezvous of a worker. Immutable.
///
/// @param dataValidation whether each receive requests a checksum of the content and verifies it, which takes one more
///     round trip and two passes over the bytes
/// @param metaDataCacheEntries keys whose metadata is cached, 1 or more; a receive of any other key takes one more
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
