package io.tensorferry.verbs.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Tensors that two workers of a scenario send each other, each sent and asked for at a time of its own.
final class RandomTraffic {
    private static final int TRANSFERS = 60;
    private static final int MOST_BYTES = 20_000;

    private record Transfer(Scenario.Receive receive, long size, int value) {}

    private final Scenario scenario;
    private final List<Transfer> transfers = new ArrayList<>();

    /// Schedules all.
    ///
    /// @param lastNs when the last of it may begin, of the fabric's clock
    RandomTraffic(Scenario scenario, Random random, long lastNs) {
        this.scenario = scenario;
        for (int i = 0; i < TRANSFERS; i++) {
            int producer = i % 2;
            String edge = "edge" + i;
            long size = random.nextInt(MOST_BYTES);
            int value = i;
            scenario.fabric.schedule(
                    random.nextLong(lastNs), () -> scenario.send(producer, 1 - producer, 1, edge, size, value));
            scenario.fabric.schedule(random.nextLong(lastNs), () -> {
                var receive = scenario.receive(producer, 1 - producer, 1, edge);
                transfers.add(new Transfer(receive, size, value));
            });
        }
    }

    /// Lets time pass until every receive has been made and has ended.
    void await() {
        scenario.await(
                () -> transfers.size() == TRANSFERS
                        && transfers.stream().allMatch(transfer -> transfer.receive.hasEnded()),
                "all receives end");
    }

    /// Every receive got its tensor, once.
    void assertOnceAndRight() {
        for (Transfer transfer : transfers) {
            scenario.assertContent(transfer.receive, transfer.size, transfer.value);
        }
    }
}
