package io.tensorferry.verbs.link;

import io.tensorferry.verbs.loop.BackgroundExecutor;
import io.tensorferry.verbs.loop.LoopRunner;
import io.tensorferry.verbs.loop.NanoClock;
import java.util.random.RandomGenerator;

/// The clock, threads and random source of an adapter, which a simulation can replace.
///
/// @param background runs registration, copies and other long work
/// @param random source of packet sequence numbers, connection ids, openings of edges and jitter; must be unpredictable
/// in production
public record AdapterRuntime(
        NanoClock clock, LoopRunner runner, BackgroundExecutor background, RandomGenerator random) {}
