package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.process.Place;

/// Where the two processes of each path run.
///
/// @param source writes, and reads
/// @param target is written to, and read from
record Places(Place source, Place target) {
    /// As the system properties of [Place] say.
    static Places fromProperties() {
        return new Places(Place.of(0), Place.of(1));
    }
}
