package io.tensorferry.verbs.channel;

import java.security.SecureRandom;
import java.util.concurrent.Executor;

/// Time, threads and chance of an adapter, so that a simulation can put its own in their place.
///
/// @param workers where registration, copies and other work that takes long is done
/// @param random source of packet sequence numbers, connection ids and jitter
public record AdapterRuntime(NanoClock clock, LoopRunner runner, Executor workers, SecureRandom random) {}
