package io.tensorferry.it.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.benchmark.verbs.VerbsBenchmark;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// That the benchmark against C runs on Soft-RoCE and reports every path; its numbers are for people.
class VerbsBenchmarkOnSoftRoceIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES) // the guest's kernel may have to be built
    void everyPathIsMeasuredAndComparedWithC() {
        Guest.assumeThere();
        List<String> java = Guest.java(
                VerbsBenchmark.class,
                List.of("-Drdma.device=" + Guest.DEVICE, "-Dit.pin=0,1"),
                List.of("--sizes=4KiB", "--rounds=2", "--seconds=0.02", "--compile-seconds=0.02"));

        GuestResult result = Guest.command("benchmark", java).limit(LIMIT).run();

        assertThat(result.status()).as("%s", result.logTail()).isZero();
        assertThat(result.output())
                .filteredOn(line -> line.startsWith("4 KiB "))
                .extracting(line -> line.substring(10, 42).strip().replaceAll(" +", " "))
                .containsExactly(
                        "ib_write rxe0",
                        "raw-write rxe0",
                        "raw-immediate rxe0",
                        "raw-flag rxe0",
                        "recvAsync rxe0",
                        "recvAsync-busy rxe0",
                        "static rxe0",
                        "static-busy rxe0",
                        "dynamic rxe0",
                        "dynamic-busy rxe0",
                        "ib_read rxe0",
                        "raw-read rxe0",
                        "gather rxe0",
                        "gather-busy rxe0",
                        "grpc-java loopback TCP",
                        "raw-write : ib_write",
                        "raw-immediate : raw-write",
                        "raw-flag : raw-write",
                        "recvAsync : ib_write",
                        "recvAsync-busy : ib_write",
                        "static : ib_write",
                        "static-busy : ib_write",
                        "dynamic : ib_write",
                        "dynamic-busy : ib_write",
                        "raw-read : ib_read",
                        "gather : ib_read",
                        "gather-busy : ib_read",
                        "grpc-java : ib_write");
    }
}
