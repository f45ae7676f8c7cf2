package io.tensorferry.it.process;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// Two new processes exchange tensors, `-Dguest.runs` times.
///
/// It is run in the guest, and so has no name by which it would be run elsewhere.
final class TwoProcesses {
    private static final int RUNS = Integer.getInteger("guest.runs", 1);
    private static final List<Integer> BOTH = List.of(0, 1);

    @TestFactory
    Stream<DynamicTest> everyTensorArrivesOnceAndRightAndItsMemoryComesBack() {
        return IntStream.rangeClosed(1, RUNS).mapToObj(run -> dynamicTest("run " + run, () -> exchange(run)));
    }

    private static void exchange(int run) throws Exception {
        try (NodeCluster cluster = NodeCluster.started("grpc+verbs", BOTH.size())) {
            ExchangeIT.exchangeAndCount(cluster, BOTH, 100 + run, 2_000);
            cluster.stop(BOTH);
        }
    }
}
