package io.tensorferry.it.process;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Workers start in any order, and each asks for tensors at once, of workers that are not there yet too.
@DeviceTests(kind = "process", on = On.NAMED_OR_SOFTWARE)
@Timeout(value = 90, unit = TimeUnit.SECONDS)
class StartOrderIT {
    private static final List<Integer> ALL = List.of(0, 1, 2);

    @ParameterizedTest(name = "{0}, started {1} {2} {3}")
    @CsvSource({
        "grpc+verbs,0,1,2",
        "grpc+verbs,0,2,1",
        "grpc+verbs,1,0,2",
        "grpc+verbs,1,2,0",
        "grpc+verbs,2,0,1",
        "grpc+verbs,2,1,0",
        "grpc,0,1,2",
        "grpc,2,1,0"
    })
    void everyOrderWorks(String protocol, int first, int second, int third) throws Exception {
        var plan = new TrafficPlan(31, 300, ALL, 1);
        try (var cluster = new NodeCluster(protocol, ALL.size())) {
            for (int node : List.of(first, second, third)) {
                cluster.start(node);
                cluster.node(node).send("exchange " + plan);
            }
            ExchangeReport.assertComplete(plan, cluster.answers(ALL, "EXCHANGED"));
            cluster.stop(ALL);
        }
    }
}
