package io.tensorferry.verbs.link;

import io.tensorferry.verbs.loop.BackgroundExecutor;
import io.tensorferry.verbs.loop.LoopRunner;
import io.tensorferry.verbs.loop.NanoClock;
import java.util.random.RandomGenerator;

/// Time, threads and chance of an adapter, so that a simulation can put its own in their place.
///
/// @param background does registration, copies and other long work
/// @param random source of packet sequence numbers, connection ids, openings of edges and jitter; unpredictable in
///     production
public record AdapterRuntime(
        NanoClock clock, LoopRunner runner, BackgroundExecutor background, RandomGenerator random) {}
