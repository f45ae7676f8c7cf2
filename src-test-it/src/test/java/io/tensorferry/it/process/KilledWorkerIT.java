package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.verbs.config.ChannelOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A worker is killed while it sends: the others learn of it soon, and go on.
@DeviceTests(kind = "process", on = On.NAMED_OR_SOFTWARE)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class KilledWorkerIT {
    /// Some device must notice, and then the dead one is waited for, as it might be restarted.
    private static final Duration LIMIT =
            Duration.ofSeconds(5).plus(ChannelOptions.defaults().reconnectTimeout());
    private static final int VICTIM = 2;
    private static final List<Integer> SURVIVORS = List.of(0, 1);

    @ParameterizedTest
    @ValueSource(strings = {"grpc+verbs", "grpc"})
    void pendingReceivesEndAndTheOthersGoOn(String protocol) throws Exception {
        try (NodeCluster cluster = NodeCluster.started(protocol, 3)) {
            for (int survivor : SURVIVORS) {
                cluster.node(VICTIM).send("offer " + survivor);
                cluster.node(survivor).send("hold " + VICTIM);
            }
            cluster.answers(SURVIVORS, "MOVING");

            cluster.node(VICTIM).kill();
            // Until the process is gone its device answers for it, and taking its memory apart may take a while.
            long goneNs = System.nanoTime();
            assertThat(cluster.answers(SURVIVORS, "LOST")).containsOnly(Hold.expectedFailures());
            assertThat(Duration.ofNanos(System.nanoTime() - goneNs)).isLessThan(LIMIT);

            // Asking the dead one again fails too, and does not hang.
            cluster.ask(SURVIVORS, "hold " + VICTIM, "LOST");
            assertThat(cluster.ask(SURVIVORS, "end-hold", "ENDED")).containsOnly("dropped=0");
            var plan = new TrafficPlan(21, 1000, SURVIVORS, 1);
            ExchangeReport.assertComplete(plan, cluster.ask(SURVIVORS, "exchange " + plan, "EXCHANGED"));
            cluster.stop(SURVIVORS);
        }
    }
}
