package io.tensorferry.it.tally;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.it.tally.Tally.Count;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerifySummaryTest {
    private static final List<String> NO_DEVICES = List.of();

    @Test
    void whatRanAndWhatWasThereIsOneLine() {
        assertThat(VerifySummary.line(
                        List.of(
                                ran(On.GUEST, "device", 104),
                                ran(On.GUEST, "process", 12),
                                ran(On.SOFTWARE, "rendezvous", 93),
                                ran(On.SOFTWARE, "device", 105)),
                        NO_DEVICES))
                .isEqualTo("TensorFerry: soft0: 105 device, 93 rendezvous tests;"
                        + " rxe0 (Soft-RoCE in the guest): 104 device, 12 process tests;"
                        + " real RDMA device: none found (set -Drdma.device=NAME)");
    }

    @Test
    void aGuestThatCannotRunIsNamedWithTheReason() {
        Count device = new Count(On.GUEST, null, "device", 0, 0, 1, List.of("the guest cannot run: no\nlog"));
        Count process = new Count(On.GUEST, null, "process", 0, 0, 3, List.of("the guest cannot run: no\nlog"));
        assertThat(VerifySummary.line(List.of(ran(On.SOFTWARE, "device", 105), device, process), NO_DEVICES))
                .contains("; rxe0 (Soft-RoCE in the guest): device, process skipped: the guest cannot run: no; real");
    }

    @Test
    void singleSkippedTestsAreCounted() {
        Count device = new Count(On.GUEST, null, "device", 103, 0, 1, List.of("Assumption failed: no such feature"));
        assertThat(VerifySummary.line(List.of(device), NO_DEVICES))
                .contains("103 device tests, 1 device skipped: no such feature");
    }

    @Test
    void aRealDeviceIsNamedWhetherItWasTestedOrNot() {
        Count device = new Count(On.NAMED, "mlx5_0", "device", 104, 2, 0, List.of());
        assertThat(VerifySummary.line(List.of(device), List.of("mlx5_0")))
                .isEqualTo("TensorFerry: mlx5_0: 106 device (2 FAILED) tests");
        assertThat(VerifySummary.line(List.of(ran(On.SOFTWARE, "device", 1)), List.of("mlx5_0", "mlx5_1")))
                .endsWith("; real RDMA device: mlx5_0, mlx5_1 not tested (set -Drdma.device=NAME)");
    }

    @Test
    void aBuildThatRanNoneSaysSo() {
        assertThat(VerifySummary.line(List.of(), NO_DEVICES)).isEqualTo("TensorFerry: no tests of a device were run");
    }

    @Test
    void onlyTheTalliesOfThisBuildCount(@TempDir Path directory) throws IOException {
        new Tally("now", List.of(ran(On.SOFTWARE, "device", 3))).write(directory.resolve("surefire.json"));
        new Tally("now", List.of(ran(On.SOFTWARE, "device", 4))).write(directory.resolve("failsafe.json"));
        new Tally("then", List.of(ran(On.SOFTWARE, "device", 9))).write(directory.resolve("old.json"));

        assertThat(VerifySummary.counts("now", directory)).containsExactly(ran(On.SOFTWARE, "device", 7));
        assertThat(VerifySummary.counts("now", directory.resolve("absent"))).isEmpty();
    }

    private static Count ran(On on, String kind, int passed) {
        return new Count(on, null, kind, passed, 0, 0, List.of());
    }
}
