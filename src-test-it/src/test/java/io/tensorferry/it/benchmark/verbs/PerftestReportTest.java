package io.tensorferry.it.benchmark.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.data.Percentage.withPercentage;

import io.tensorferry.it.benchmark.Transfer;
import java.util.List;
import org.junit.jupiter.api.Test;

/// With lines as perftest's programs print them.
class PerftestReportTest {
    private static final String RULE = "-".repeat(87);
    private static final String BANDWIDTH_COLUMNS =
            " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]";
    private static final String LATENCY_COLUMNS =
            " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]";

    @Test
    void shortMessagesAreTakenFromTheirRateWhichHasMoreDigits() {
        Transfer transfer = PerftestReport.throughput(
                bandwidth(" 8          2000             0.00               0.21   \t\t   0.027978"), 8, 2000);

        assertThat(transfer.perSecond()).isCloseTo(27_978, withPercentage(0.001));
        assertThat(transfer.bytesPerSecond()).isCloseTo(8 * 27_978, withPercentage(0.001));
        assertThat(transfer.count()).isEqualTo(2000);
    }

    @Test
    void longMessagesAreTakenFromTheAverageInUnitsOf2To20Bytes() {
        Transfer transfer = PerftestReport.throughput(
                bandwidth(" 8388608    64               0.00               431.63 \t\t   0.000054"), 8_388_608, 64);

        assertThat(transfer.bytesPerSecond()).isCloseTo(431.63 * 1_048_576, withPercentage(0.001));
    }

    @Test
    void aResultOfAnotherMeasurementIsNone() {
        List<String> output = bandwidth(" 8          2000             0.00               0.21   \t\t   0.027978");

        assertThatIllegalStateException().isThrownBy(() -> PerftestReport.throughput(output, 16, 2000));
        assertThatIllegalStateException().isThrownBy(() -> PerftestReport.throughput(output, 8, 1000));
    }

    @Test
    void aFailureIsShownWithWhatTheProgramSaid() {
        assertThatIllegalStateException()
                .isThrownBy(() -> PerftestReport.throughput(List.of(" Failed to modify QP to RTS"), 8, 2000))
                .withMessageContaining("Failed to modify QP");
        assertThatIllegalStateException()
                .isThrownBy(() -> PerftestReport.throughput(
                        bandwidth(" 8          2000             0.00               0.00   \t\t   0.000000"), 8, 2000));
    }

    @Test
    void latenciesAreInMicroseconds() {
        Transfer transfer = PerftestReport.latency(
                List.of(RULE, LATENCY_COLUMNS, "#, usec", "1, 502.63", "2, 20", "3, 1.85e+01", RULE), 8, 4, 2);

        assertThat(transfer.count()).isEqualTo(3);
        assertThat(transfer.latencyMicros(50)).isCloseTo(20, withPercentage(0.2));
        assertThat(transfer.latencyMicros(100)).isCloseTo(502.63, withPercentage(0.2));
        // Half round trips: the whole took twice as long.
        assertThat(transfer.elapsedNs()).isEqualTo(2 * 541_130);
    }

    @Test
    void missingLatenciesAreAFailure() {
        assertThatIllegalStateException()
                .isThrownBy(() -> PerftestReport.latency(List.of("#, usec", "1, 502.63"), 8, 4, 2));
    }

    private static List<String> bandwidth(String result) {
        return List.of(" Mtu             : 4096[B]", RULE, BANDWIDTH_COLUMNS, result, RULE);
    }
}
