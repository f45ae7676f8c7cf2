package io.tensorferry.verbs.channel;

import java.util.random.RandomGenerator;

/// Time, threads and chance of an adapter, so that a simulation can put its own in their place.
///
/// @param workers where registration, copies and other work that takes long is done
/// @param random source of packet sequence numbers, connection ids, openings of edges and jitter; unpredictable in
///     production
public record AdapterRuntime(NanoClock clock, LoopRunner runner, Workers workers, RandomGenerator random) {}
