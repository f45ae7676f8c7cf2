package io.tensorferry.samples.digits;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.grpc.TransportStatistics;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrainingReportTest {
    @Test
    void aGoodTrainingHasNoFailure() {
        assertThat(report(400, 0.95, 1e-12).failures()).isEmpty();
    }

    @Test
    void otherWeightsThanOfOneProcessAreAFailure() {
        assertThat(report(400, 0.95, 2e-6).failures())
                .singleElement()
                .asString()
                .contains("2.00e-06");
        assertThat(report(400, 0.95, Double.NaN).failures()).hasSize(1);
    }

    @Test
    void tooLittleAccuracyIsAFailureOnceThereWereEnoughSteps() {
        assertThat(report(400, 0.92, 0).failures()).singleElement().asString().contains("0.9200");
        assertThat(report(20, 0.5, 0).failures()).isEmpty();
    }

    private static TrainingReport report(long steps, double accuracy, double distance) {
        var traffic = new TransportStatistics(
                0, 0, Duration.ZERO, 0, 0, 5, 500, 5, 500, 0, 0, 0, null, null, List.of(), null);
        return new TrainingReport(
                new TrainingPlan(steps, 2), "grpc", "none (grpc)", accuracy, distance, traffic, Duration.ofSeconds(1));
    }
}
