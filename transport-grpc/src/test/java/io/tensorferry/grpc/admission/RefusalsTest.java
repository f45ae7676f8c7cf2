package io.tensorferry.grpc.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.grpc.LogLines;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RefusalsTest {
    private static final long START_NS = Long.MAX_VALUE - 5_000_000_000L;

    @Test
    void everyRefusalIsCountedAndOneInTenSecondsIsLogged() {
        // The clock passes the end of its range, as System.nanoTime may.
        var now = new AtomicLong(START_NS);
        var refusals = new Refusals("worker", now::get);
        try (var log = LogLines.of(Refusals.class)) {
            for (int i = 0; i < 1000; i++) {
                refusals.call("call " + i);
                refusals.connection("connection " + i);
            }
            assertThat(log.warnings())
                    .containsExactly(
                            "worker refused a call: call 0 (1 calls and 0 connections so far; the next 10 s are"
                                    + " not logged)");

            now.addAndGet(9_999_999_999L);
            refusals.call("too soon");
            assertThat(log.warnings()).hasSize(1);

            now.addAndGet(1);
            refusals.call("later");
            assertThat(log.warnings()).hasSize(2);
            assertThat(log.warnings().getLast()).startsWith("worker refused a call: later (1002 calls and 1000 conn");
        }
        assertThat(refusals.calls()).isEqualTo(1002);
        assertThat(refusals.connections()).isEqualTo(1000);
    }
}
