package io.tensorferry.verbs.rendezvous.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.RequestIndex;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class RequestTableTest {
    @Test
    void aRequestIsFoundByItsIndexUntilItIsRemoved() {
        var table = new RequestTable<String>();
        int index = table.add("request");
        assertThat(table.get(index)).isEqualTo("request");
        assertThat(table.size()).isEqualTo(1);
        assertThat(table.remove(index)).isEqualTo("request");
        assertThat(table.get(index)).isNull();
        assertThat(table.remove(index)).isNull();
        assertThat(table.size()).isZero();
    }

    @Test
    void anIndexThatAPeerMadeUpFindsNothing() {
        var table = new RequestTable<String>(4);
        int index = table.add("request");
        for (int hostile : new int[] {
            Immediate.CONTROL_MESSAGE,
            Immediate.ACKNOWLEDGEMENT,
            Integer.MIN_VALUE,
            Integer.MAX_VALUE,
            index + 1,
            RequestIndex.of(0, 1),
            RequestIndex.of(0, 4094),
            RequestIndex.of(RequestIndex.SLOTS - 1, 0),
            0xFFF00000
        }) {
            assertThat(table.get(hostile)).as("0x%08x", hostile).isNull();
            assertThat(table.remove(hostile)).as("0x%08x", hostile).isNull();
        }
        assertThat(table.get(index)).isEqualTo("request");
    }

    @Test
    void aFullTableRefusesAndGoesOnWhenThereIsRoom() {
        var table = new RequestTable<Integer>(3);
        table.add(1);
        int second = table.add(2);
        table.add(3);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> table.add(4))
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
                .withMessageContaining("3");
        table.remove(second);
        int fourth = table.add(4);
        assertThat(RequestIndex.slot(fourth)).isEqualTo(RequestIndex.slot(second));
        assertThat(fourth).isNotEqualTo(second);
        assertThat(table.get(second)).isNull();
    }

    @Test
    void everyIndexCanBeLiveAtOnce() {
        var table = new RequestTable<Integer>();
        var indexes = new int[RequestIndex.SLOTS];
        for (int i = 0; i < indexes.length; i++) {
            indexes[i] = table.add(i);
        }
        assertThatExceptionOfType(TransportException.class).isThrownBy(() -> table.add(0));
        for (int i = 0; i < indexes.length; i++) {
            assertThat(table.get(indexes[i])).isEqualTo(i);
        }
        assertThat(table.all()).hasSize(RequestIndex.SLOTS);
    }

    /// Defect 8 of the original: after the index wrapped, a live index was given out again, and that caller's
    /// callback was lost.
    @Test
    void wrappingNeverReusesALiveIndex() {
        var table = new RequestTable<Integer>(2);
        int longLived = table.add(-1);
        var seen = new HashSet<Integer>();
        int first = table.add(0);
        table.remove(first);
        seen.add(first);
        for (int i = 1; i < RequestIndex.GENERATIONS; i++) {
            int index = table.add(i);
            assertThat(seen.add(index)).as("index of request %d is new", i).isTrue();
            assertThat(Immediate.isRequestIndex(index)).isTrue();
            table.remove(index);
        }
        int again = table.add(4095);
        assertThat(again).as("the generations are through").isEqualTo(first);
        for (int i = 0; i < 3 * RequestIndex.GENERATIONS; i++) {
            table.remove(table.get(again) == null ? first : again);
            again = table.add(i);
            assertThat(again).isNotEqualTo(longLived);
            assertThat(table.get(longLived)).isEqualTo(-1);
        }
    }

    @Test
    void aSlotIsReusedAsLateAsPossible() {
        var table = new RequestTable<Integer>(5);
        for (int round = 0; round < 3; round++) {
            for (int slot = 0; slot < 5; slot++) {
                int index = table.add(0);
                assertThat(index).isEqualTo(RequestIndex.of(slot, round));
                table.remove(index);
            }
        }
    }

    @Test
    void anIndexComesAgainOnlyAfterTensOfMillionsOfRequests() {
        var table = new RequestTable<Integer>();
        int first = table.add(0);
        table.remove(first);
        for (int i = 1; i < RequestTable.ROTATION; i++) {
            int index = table.add(i);
            assertThat(RequestIndex.slot(index)).isEqualTo(i);
            table.remove(index);
        }
        assertThat(table.add(0)).isEqualTo(RequestIndex.of(0, 1));
        assertThat((long) RequestTable.ROTATION * RequestIndex.GENERATIONS).isGreaterThan(60_000_000);
    }

    @Test
    void allAreTheLiveRequestsOrderedBySlot() {
        var table = new RequestTable<Integer>(8);
        table.add(1);
        int second = table.add(2);
        table.add(3);
        table.remove(second);
        assertThat(table.all()).containsExactly(1, 3);
        assertThat(table.size()).isEqualTo(2);
    }

    @Test
    void randomTrafficAgreesWithAMap() {
        long seed = 0x5EED;
        var random = new SplittableRandom(seed);
        var table = new RequestTable<Integer>(50);
        Map<Integer, Integer> live = new HashMap<>();
        for (int i = 0; i < 300_000; i++) {
            if (live.size() < 50 && random.nextInt(100) < 55) {
                int index = table.add(i);
                assertThat(live.put(index, i))
                        .as("seed %d, request %d: the index was free", seed, i)
                        .isNull();
            } else {
                int index = live.isEmpty() || random.nextInt(4) == 0
                        ? RequestIndex.of(random.nextInt(60), random.nextInt(4095))
                        : live.keySet().iterator().next();
                assertThat(table.get(index)).isEqualTo(live.get(index));
                assertThat(table.remove(index)).isEqualTo(live.remove(index));
            }
            assertThat(table.size()).isEqualTo(live.size());
        }
    }

    @Test
    void capacitiesOutOfRangeAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new RequestTable<>(0));
        assertThatIllegalArgumentException().isThrownBy(() -> new RequestTable<>(RequestIndex.SLOTS + 1));
    }
}
