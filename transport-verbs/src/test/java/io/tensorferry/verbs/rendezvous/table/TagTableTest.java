package io.tensorferry.verbs.rendezvous.table;

import static io.tensorferry.verbs.rendezvous.TestTensors.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RecvResult.Dead;
import io.tensorferry.api.RecvResult.Failed;
import io.tensorferry.api.RecvResult.Received;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.RendezvousLimits;
import io.tensorferry.verbs.rendezvous.TestTensors;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class TagTableTest {
    private final TransportException status = new TransportException(StatusCode.ABORTED, "the step failed");

    private final TestTensors tensors = new TestTensors();
    private final TagTable table = new TagTable();
    private final List<String> told = new ArrayList<>();

    @Test
    void aSendMeetsTheReceiveThatWaits() {
        table.receive(key(1), waiter("a"));
        assertThat(table.waitingReceives()).isEqualTo(1);
        table.send(key(1), tensors.tensor(7));
        assertThat(told).containsExactly("a: 7");
        assertEmpty();
    }

    @Test
    void aReceiveMeetsTheSendThatWaits() {
        table.send(key(1), tensors.tensor(7));
        assertThat(table.waitingSends()).isEqualTo(1);
        table.receive(key(1), waiter("a"));
        assertThat(told).containsExactly("a: 7");
        assertEmpty();
    }

    @Test
    void eachKeyIsAQueueOnBothSides() {
        table.send(key(1), tensors.tensor(1));
        table.send(key(1), new Dead());
        table.send(key(1), tensors.tensor(3));
        for (String name : new String[] {"a", "b", "c", "d", "e"}) {
            table.receive(key(1), waiter(name));
        }
        assertThat(table.waitingReceives()).isEqualTo(2);
        table.send(key(1), tensors.tensor(4));
        table.send(key(1), tensors.tensor(5));
        assertThat(told).containsExactly("a: 1", "b: dead", "c: 3", "d: 4", "e: 5");
        assertEmpty();
    }

    @Test
    void sendsThatNobodyAsksForAreLimitedInNumber() {
        var limited = new TagTable(RendezvousLimits.defaults().withUnclaimed(3, RendezvousLimits.UNLIMITED));
        limited.send(key(1), tensors.tensor(1));
        limited.send(key(2), new Dead());
        limited.send(key(2), tensors.tensor(2));
        Received refused = tensors.tensor(3);
        assertThatThrownBy(() -> limited.send(key(3), refused))
                .isInstanceOfSatisfying(
                        TransportException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
                .hasMessageContaining(key(3).toString());
        assertThat(refused.tensor().isClosed()).as("still its owner's").isFalse();
        refused.tensor().close();
        // A requested send needs no room, and a claimed one frees its room.
        limited.receive(key(4), waiter("a"));
        limited.send(key(4), tensors.tensor(4));
        limited.receive(key(1), waiter("b"));
        limited.send(key(3), tensors.tensor(5));
        assertThat(told).containsExactly("a: 4", "b: 1");
        assertThat(limited.waitingSends()).isEqualTo(3);
        limited.abort(status);
        assertThat(tensors.open).hasValue(0);
    }

    @Test
    void sendsThatNobodyAsksForAreLimitedInBytes() {
        var limited = new TagTable(RendezvousLimits.defaults().withUnclaimed(100, 1000));
        limited.send(key(1), bytes(600));
        limited.send(key(2), bytes(400));
        limited.send(key(2), new Dead());
        Received refused = bytes(1);
        assertThatThrownBy(() -> limited.send(key(3), refused)).hasMessageContaining("RESOURCE_EXHAUSTED");
        assertThat(refused.tensor().isClosed()).as("still its owner's").isFalse();
        refused.tensor().close();
        assertThat(limited.waitingBytes()).isEqualTo(1000);
        limited.receive(
                key(2),
                TagTable.Waiter.of(result -> ((Received) result).tensor().close()));
        limited.send(key(3), bytes(400));
        Received larger = bytes(1001);
        assertThatThrownBy(() -> limited.send(key(4), larger)).hasMessageContaining("RESOURCE_EXHAUSTED");
        larger.tensor().close();
        assertThat(limited.abort(status)).isEqualTo(3);
        assertThat(limited.waitingBytes()).isZero();
    }

    private static Received bytes(long size) {
        return new Received(TensorAllocator.unregistered().allocate(DataType.UINT8, Shape.of(size)));
    }

    @Test
    void keysWithTheSameHashDoNotMix() {
        RendezvousKey one = RendezvousKey.of(key(0).source(), key(0).destination(), "Aa");
        RendezvousKey other = RendezvousKey.of(key(0).source(), key(0).destination(), "BB");
        assertThat(one.hashCode()).isEqualTo(other.hashCode());
        table.receive(one, waiter("one"));
        table.send(other, tensors.tensor(2));
        assertThat(told).isEmpty();
        table.send(one, tensors.tensor(1));
        table.receive(other, waiter("other"));
        assertThat(told).containsExactly("one: 1", "other: 2");
    }

    @Test
    void aRemovedWaiterIsNeverCalled() {
        TagTable.Waiter first = waiter("first");
        table.receive(key(1), first);
        table.receive(key(1), waiter("second"));
        assertThat(table.remove(first)).isTrue();
        assertThat(table.remove(first)).isFalse();
        table.send(key(1), tensors.tensor(1));
        assertThat(told).containsExactly("second: 1");
        assertThat(table.abort(status)).isZero();
        assertThat(told).hasSize(1);
        assertEmpty();
    }

    @Test
    void aMatchedWaiterCannotBeRemoved() {
        TagTable.Waiter waiter = waiter("a");
        table.receive(key(1), waiter);
        table.send(key(1), tensors.tensor(1));
        assertThat(table.remove(waiter)).isFalse();
        assertEmpty();
    }

    @Test
    void abortTellsEveryWaiterAndDropsEverySend() {
        table.receive(key(1), waiter("a"));
        table.receive(key(1), waiter("b"));
        table.receive(key(2), waiter("c"));
        table.send(key(3), tensors.tensor(1));
        table.send(key(3), new Dead());
        table.send(key(4), tensors.tensor(2));

        assertThat(table.abort(status)).isEqualTo(3);

        assertThat(told).containsExactlyInAnyOrder("a: ABORTED", "b: ABORTED", "c: ABORTED");
        assertEmpty();
    }

    @Test
    void onlyTheFirstAbortCounts() {
        table.send(key(1), tensors.tensor(1));
        assertThat(table.abort(status)).isEqualTo(1);
        assertThat(table.abort(new TransportException(StatusCode.INTERNAL, "another")))
                .isZero();

        Received refused = tensors.tensor(2);
        assertThatThrownBy(() -> table.send(key(1), refused)).isSameAs(status);
        refused.tensor().close();
        assertThatThrownBy(() -> table.send(key(1), new Dead())).isSameAs(status);
        table.receive(
                key(1),
                TagTable.Waiter.of(
                        result -> assertThat(((Failed) result).cause()).isSameAs(status)));
        table.receive(key(1), waiter("late"));

        assertThat(told).containsExactly("late: ABORTED");
        assertEmpty();
    }

    @Test
    void aSentHandleIsTheTablesAndItsClosingChangesNothing() {
        Received sent = tensors.tensor(1);
        table.send(key(1), sent);
        sent.tensor().close();
        assertThat(tensors.open).hasValue(1);
        table.receive(key(1), waiter("a"));
        assertThat(told).containsExactly("a: 1");
        assertEmpty();
    }

    @Test
    void aHandleThatIsClosedOrWasSentTakesNobodysPlace() {
        Received closed = tensors.tensor(1);
        closed.tensor().close();
        assertThatIllegalStateException()
                .isThrownBy(() -> table.send(key(1), closed))
                .withMessageContaining(key(1).toString())
                .withMessageContaining("is closed");
        Received sent = tensors.tensor(2);
        table.send(key(2), sent);
        table.receive(key(1), waiter("a"));
        assertThatIllegalStateException()
                .isThrownBy(() -> table.send(key(1), sent))
                .withMessageContaining(key(1).toString())
                .withMessageContaining("was sent");
        assertThat(table.waitingReceives()).isEqualTo(1);
        assertThat(table.waitingSends()).isEqualTo(1);
        table.send(key(1), tensors.tensor(3));
        table.receive(key(2), waiter("b"));
        assertThat(told).containsExactly("a: 3", "b: 2");
        assertEmpty();
    }

    @Test
    void aFailureCannotBeSent() {
        assertThatIllegalArgumentException().isThrownBy(() -> table.send(key(1), new Failed(status)));
    }

    @Test
    void aWaiterMayCallTheTableAndMayThrow() {
        table.receive(key(1), TagTable.Waiter.of(result -> {
            record("outer", result);
            table.send(key(2), tensors.tensor(2));
            table.receive(key(2), waiter("inner"));
            throw new IllegalStateException("a waiter's own trouble");
        }));
        table.send(key(1), tensors.tensor(1));
        assertThat(told).containsExactly("outer: 1", "inner: 2");

        table.receive(key(3), TagTable.Waiter.of(result -> {
            throw new IllegalStateException("a waiter's own trouble");
        }));
        table.receive(key(3), waiter("next"));
        table.abort(status);
        assertThat(told).contains("next: ABORTED");
    }

    @Test
    void manyWaitersAreRemovedInAnyOrderInNoTime() {
        int count = 100_000;
        List<TagTable.Waiter> waiters =
                IntStream.range(0, count).mapToObj(i -> waiter("w" + i)).toList();
        waiters.forEach(waiter -> table.receive(key(1), waiter));
        // From the middle outwards: a scan from either end would take 10^10 steps.
        for (int i = 0; i < count; i++) {
            int at = count / 2 + (i % 2 == 0 ? i / 2 : -1 - i / 2);
            assertThat(table.remove(waiters.get(at))).isTrue();
        }
        assertEmpty();
    }

    @Test
    void aWaiterThatWasToldMayWaitAgain() {
        TagTable.Waiter waiter = waiter("a");
        for (int i = 0; i < 3; i++) {
            table.receive(key(i), waiter);
            table.send(key(i), tensors.tensor(i));
        }
        assertThat(told).containsExactly("a: 0", "a: 1", "a: 2");
        assertEmpty();
    }

    @Test
    void aWaiterWaitsInOnePlace() {
        TagTable.Waiter waiter = waiter("a");
        table.receive(key(1), waiter);
        assertThatThrownBy(() -> table.receive(key(2), waiter)).isInstanceOf(IllegalStateException.class);
        table.send(key(1), tensors.tensor(1));
        assertEmpty();
    }

    /// A peer can choose many keys of one hash; a scan of them would take 10^10 steps.
    @Test
    void keysOfOneHashAreFoundInNoTime() {
        int bits = 16;
        List<RendezvousKey> keys = IntStream.range(0, 1 << bits)
                .mapToObj(i -> RendezvousKey.of(key(0).source(), key(0).destination(), oneHash(i, bits)))
                .toList();
        assertThat(keys.stream().map(RendezvousKey::hashCode).distinct()).hasSize(1);
        keys.forEach(key -> table.receive(key, waiter("w")));
        assertThat(table.waitingReceives()).isEqualTo(1 << bits);
        keys.forEach(key -> table.send(key, tensors.tensor(1)));
        assertThat(told).hasSize(1 << bits);
        keys.forEach(key -> table.send(key, tensors.tensor(1)));
        keys.forEach(key -> table.receive(key, waiter("w")));
        assertThat(told).hasSize(2 << bits);
        assertEmpty();
    }

    private static String oneHash(int number, int bits) {
        var text = new StringBuilder();
        for (int i = 0; i < bits; i++) {
            text.append((number >> i & 1) == 0 ? "Aa" : "BB");
        }
        return text.toString();
    }

    private TagTable.Waiter waiter(String name) {
        return TagTable.Waiter.of(result -> record(name, result));
    }

    private void record(String name, RecvResult result) {
        told.add(name + ": "
                + switch (result) {
                    case Received(var tensor) -> {
                        tensor.close();
                        yield TestTensors.number(tensor);
                    }
                    case Dead() -> "dead";
                    case Failed(var cause) -> cause.code();
                });
    }

    private void assertEmpty() {
        assertThat(table.waitingSends()).isZero();
        assertThat(table.waitingReceives()).isZero();
        assertThat(tensors.open).as("tensors not closed").hasValue(0);
    }
}
