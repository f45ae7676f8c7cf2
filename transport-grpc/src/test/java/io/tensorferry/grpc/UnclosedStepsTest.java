package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.rendezvous.table.StepTable;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Steps that a worker names and never ends are counted, and logged once.
@Timeout(60)
class UnclosedStepsTest {
    private static final int MANY = 1_000;

    @Test
    void theyAreCountedAndWarnedAboutOnce() throws Exception {
        try (var cluster = TestCluster.started(1);
                var log = LogLines.of(StepTable.class)) {
            TransportServer server = cluster.server(0);
            for (int step = 0; step < MANY - 1; step++) {
                server.rendezvous(step);
                server.rendezvous(step);
            }
            server.finishStep(0, Duration.ZERO);
            server.closeStep(1);
            assertThat(server.statistics().ownOpenSteps()).isEqualTo(MANY - 3);
            assertThat(server.statistics().oldestOwnStep()).isPositive();
            assertThat(log.warnings()).isEmpty();

            for (int step = MANY; step < 2 * MANY; step++) {
                server.rendezvous(step);
            }

            assertThat(server.statistics().ownOpenSteps()).isEqualTo(2 * MANY - 3);
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains("1000 steps of this worker are open")
                    .contains("finishStep");
        }
    }
}
