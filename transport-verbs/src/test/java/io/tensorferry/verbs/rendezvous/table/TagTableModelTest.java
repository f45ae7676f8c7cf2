package io.tensorferry.verbs.rendezvous.table;

import static io.tensorferry.verbs.rendezvous.TestTensors.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RecvResult.Received;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.Draw;
import io.tensorferry.testing.Property;
import io.tensorferry.verbs.rendezvous.TestTensors;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Any sequence of calls on one thread does what plain lists do; long enough that queues of waiters get their
/// index.
class TagTableModelTest {
    enum Call {
        SEND,
        RECEIVE,
        REMOVE,
        ABORT
    }

    record Step(Call call, int key, int waiter) {}

    // The relative frequency of each call.
    private static final int SENDS = 30;
    private static final int RECEIVES = 60;
    private static final int REMOVALS = 20;
    private static final int ABORTS = 1;

    private final TestTensors tensors = new TestTensors();
    private final List<String> told = new ArrayList<>();
    private final List<RepeatedWaiter> waiters = IntStream.range(0, 6)
            .mapToObj(name -> new RepeatedWaiter(result -> told.add(name + describe(result))))
            .toList();

    @Test
    void anySequenceOfCallsDoesWhatListsDo() {
        Property.check(500, draw -> new TagTableModelTest().assertDoesWhatListsDo(steps(draw)));
    }

    private void assertDoesWhatListsDo(List<Step> steps) {
        var table = new TagTable();
        var model = new TagTableModel(2);
        var expected = new ArrayList<String>();
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            int number = i;
            switch (step.call) {
                case SEND -> {
                    Received item = tensors.tensor(number);
                    try {
                        table.send(key(step.key), item);
                    } catch (TransportException e) {
                        told.add("refused");
                    }
                    // Does nothing if the table has taken it.
                    item.tensor().close();
                    int waiter = model.send(step.key, number);
                    if (waiter != TagTableModel.QUEUED) {
                        expected.add(waiter == TagTableModel.ABORTED ? "refused" : waiter + ": " + number);
                    }
                }
                case RECEIVE -> {
                    waiters.get(step.waiter).receive(table, key(step.key));
                    int item = model.receive(step.key, step.waiter);
                    if (item != TagTableModel.QUEUED) {
                        expected.add(step.waiter + (item == TagTableModel.ABORTED ? ": failed" : ": " + item));
                    }
                }
                case REMOVE ->
                    assertThat(waiters.get(step.waiter).remove(table, key(step.key)))
                            .isEqualTo(model.remove(step.key, step.waiter));
                case ABORT -> {
                    List<Integer> ended = model.waiters();
                    assertThat(table.abort(new TransportException(StatusCode.ABORTED, "the end")))
                            .isEqualTo(model.abort());
                    // The order among keys is open.
                    assertThat(told.subList(expected.size(), told.size()))
                            .containsExactlyInAnyOrderElementsOf(ended.stream()
                                    .map(waiter -> waiter + ": failed")
                                    .toList());
                    expected.addAll(told.subList(expected.size(), told.size()));
                }
            }
            assertThat(told).isEqualTo(expected);
            assertThat(table.waitingReceives()).isEqualTo(model.waiters().size());
            assertThat(table.waitingSends()).isEqualTo(model.sends());
            assertThat(tensors.open).hasValue(model.sends());
        }
        table.abort(new TransportException(StatusCode.ABORTED, "the test is over"));
        assertThat(tensors.open).hasValue(0);
    }

    private static List<Step> steps(Draw draw) {
        return draw.list(
                0,
                150,
                () -> new Step(
                        Call.values()[draw.weighted(SENDS, RECEIVES, REMOVALS, ABORTS)],
                        draw.intOf(0, 1),
                        draw.intOf(0, 5)));
    }

    private static String describe(RecvResult result) {
        if (result instanceof Received(var tensor)) {
            tensor.close();
            return ": " + TestTensors.number(tensor);
        }
        return ": failed";
    }
}
