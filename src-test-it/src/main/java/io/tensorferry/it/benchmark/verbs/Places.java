package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.process.ChildJvm;
import io.tensorferry.it.process.Place;
import io.tensorferry.verbs.config.RdmaConfig;

/// The places of the two processes of each path.
///
/// @param source the place of the process that writes and reads
/// @param target the place of the process that is written to and read from
record Places(Place source, Place target) {
    private static final String TIMEOUT = "RDMA_QP_TIMEOUT";

    /// Half a second. A loaded machine may deny a process its processor for longer than the usual 67 ms, and
    /// retransmissions would add to the load.
    private static final int PATIENT_TIMEOUT = 17;

    /// The places that the system properties of [Place] select.
    static Places fromProperties() {
        return new Places(Place.of(0), Place.of(1));
    }

    /// The timeout of all queue pairs: the value of `RDMA_QP_TIMEOUT`, or else a long one.
    int timeout() {
        return System.getenv(TIMEOUT) == null
                ? PATIENT_TIMEOUT
                : RdmaConfig.fromEnvironment().timeout();
    }

    /// A Java process at the source.
    ChildJvm.Builder atSource(Class<?> main) {
        return at(source, main);
    }

    /// A Java process at the target.
    ChildJvm.Builder atTarget(Class<?> main) {
        return at(target, main);
    }

    private ChildJvm.Builder at(Place place, Class<?> main) {
        return ChildJvm.of(main).place(place).environment(TIMEOUT, Integer.toString(timeout()));
    }
}
