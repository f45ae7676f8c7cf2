package io.tensorferry.verbs.rendezvous.table;

import static io.tensorferry.verbs.rendezvous.TestTensors.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DoneCallback;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.rendezvous.BlockingReceive;
import io.tensorferry.verbs.rendezvous.ContentWaits;
import io.tensorferry.verbs.rendezvous.ResultMove;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Receives that are given up when their tensor is matched with them: after the table's decision, before it tells them.
@Timeout(20)
class LocalReceiveTest {
    private final TagTable table = new TagTable();
    private final List<RecvResult> results = new ArrayList<>();

    private LocalReceive receive(DoneCallback done) {
        var waits = new ContentWaits(
                new ResultMove(Accelerators.none(), TensorAllocator.unregistered()), Runnable::run, () -> {});
        return new LocalReceive(key(1), table, done, ReceiveOptions.defaults(), null, Runnable::run, waits);
    }

    /// Like a send that has found the receive, but has not notified it.
    private LocalReceive matched(DoneCallback done) {
        LocalReceive receive = receive(done);
        table.receive(key(1), receive);
        assertThat(table.remove(receive)).isTrue();
        return receive;
    }

    private static Tensor tensor() {
        return TensorAllocator.unregistered().allocate(DataType.FLOAT, Shape.of(2));
    }

    private static StatusCode code(RecvResult result) {
        return ((RecvResult.Failed) result).cause().code();
    }

    @Test
    void aCancellationThatComesBeforeTheTensorEndsTheReceiveAndTheTensorIsClosed() {
        LocalReceive receive = matched(results::add);
        assertThat(receive.cancel()).isTrue();
        assertThat(results).hasSize(1);
        assertThat(code(results.getFirst())).isEqualTo(StatusCode.CANCELLED);

        Tensor late = tensor();
        receive.done(new RecvResult.Received(late));
        assertThat(late.isClosed()).isTrue();
        assertThat(results).hasSize(1);
        assertThat(receive.cancel()).isFalse();
    }

    @Test
    void aTensorThatComesBeforeTheCancellationIsHandedOver() {
        LocalReceive receive = matched(results::add);
        try (Tensor tensor = tensor()) {
            receive.done(new RecvResult.Received(tensor));
            assertThat(receive.cancel()).isFalse();
            assertThat(results).containsExactly(new RecvResult.Received(tensor));
            assertThat(tensor.isClosed()).isFalse();
        }
    }

    @Test
    void aThreadThatWaitsIsLateWhateverTheTableHasDecided() {
        var waiter = new BlockingReceive();
        LocalReceive receive = matched(waiter);
        Duration timeout = Duration.ofMillis(1);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> waiter.await(receive, key(1), timeout, () -> null))
                .satisfies(late -> assertThat(late.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED));

        Tensor late = tensor();
        receive.done(new RecvResult.Received(late));
        assertThat(late.isClosed()).isTrue();
    }

    @Test
    void aDeadlineThatPassesBeforeTheTensorEndsTheReceive() {
        var timer = new ArrayList<Runnable>();
        LocalReceive receive = receive(results::add);
        receive.start(Duration.ofSeconds(1), (_, action) -> {
            timer.add(action);
            return () -> {};
        });
        assertThat(table.remove(receive)).isTrue();
        timer.getFirst().run();
        assertThat(results).hasSize(1);
        assertThat(code(results.getFirst())).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
    }
}
