package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.process.ChildJvm;
import io.tensorferry.it.process.Place;
import io.tensorferry.verbs.config.RdmaConfig;

/// Where the two processes of each path run.
///
/// @param source writes, and reads
/// @param target is written to, and read from
record Places(Place source, Place target) {
    private static final String TIMEOUT = "RDMA_QP_TIMEOUT";

    /// A loaded machine may leave a process without a processor for longer than the usual 67 ms, and what is then sent
    /// again is more load. This is half a second.
    private static final int PATIENT_TIMEOUT = 17;

    /// As the system properties of [Place] say.
    static Places fromProperties() {
        return new Places(Place.of(0), Place.of(1));
    }

    /// The queue pairs' timeout, the same for all: what `RDMA_QP_TIMEOUT` says, or else a long one.
    int timeout() {
        return System.getenv(TIMEOUT) == null
                ? PATIENT_TIMEOUT
                : RdmaConfig.fromEnvironment().timeout();
    }

    /// A process of Java that writes and reads.
    ChildJvm.Builder atSource(Class<?> main) {
        return at(source, main);
    }

    /// A process of Java that is written to and read from.
    ChildJvm.Builder atTarget(Class<?> main) {
        return at(target, main);
    }

    private ChildJvm.Builder at(Place place, Class<?> main) {
        return ChildJvm.of(main).place(place).environment(TIMEOUT, Integer.toString(timeout()));
    }
}
