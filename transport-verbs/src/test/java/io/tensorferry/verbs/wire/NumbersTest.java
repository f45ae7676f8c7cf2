package io.tensorferry.verbs.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.testing.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Request indexes, immediates and work ids.
@Timeout(10)
class NumbersTest {
    @Test
    void anIndexGivesBackItsSlotAndGeneration() {
        Property.check(1000, draw -> {
            int slot = draw.intOf(0, RequestIndex.SLOTS - 1);
            int generation = draw.intOf(0, RequestIndex.GENERATIONS - 1);
            int index = RequestIndex.of(slot, generation);
            assertThat(RequestIndex.slot(index)).isEqualTo(slot);
            assertThat(RequestIndex.generation(index)).isEqualTo(generation);
            assertThat(Immediate.isRequestIndex(index)).isTrue();
            assertThat(index).isNotIn(Immediate.CONTROL_MESSAGE, Immediate.ACKNOWLEDGEMENT);
        });
    }

    @Test
    void anyOtherImmediateIsNoIndex() {
        Property.check(
                1000,
                draw -> assertThat(Immediate.isRequestIndex(draw.intOf(0xFFF00000, -1)))
                        .isFalse());
    }

    @Test
    void theLayoutIsTheProtocols() {
        assertThat(RequestIndex.of(5, 2)).isEqualTo(0x00200005);
        assertThat(RequestIndex.of(0xFFFFF, 4094)).isEqualTo(0xFFEFFFFF);
        assertThat(Immediate.CONTROL_MESSAGE).isEqualTo(0xFFFFFFFF);
        assertThat(Immediate.ACKNOWLEDGEMENT).isEqualTo(0xFFFFFFFE);
        assertThat(RequestIndex.describe(0x00200005)).isEqualTo("slot 5, generation 2");
        assertThat(RequestIndex.describe(0xFFF00001)).isEqualTo("0xfff00001, not a request index");
    }

    @Test
    void theImmediateOfAnEdgeIsNoOther() {
        Property.check(1000, draw -> {
            int edge = draw.intOf(0, Immediate.EDGES - 1);
            int immediate = Immediate.ofEdge(edge);
            assertThat(Immediate.isEdge(immediate)).isTrue();
            assertThat(Immediate.edge(immediate)).isEqualTo(edge);
            assertThat(Immediate.isRequestIndex(immediate)).isFalse();
            assertThat(immediate).isNotIn(Immediate.CONTROL_MESSAGE, Immediate.ACKNOWLEDGEMENT);
        });
    }

    @Test
    void noRequestIsAnEdge() {
        Property.check(1000, draw -> {
            int slot = draw.intOf(0, RequestIndex.SLOTS - 1);
            int generation = draw.intOf(0, RequestIndex.GENERATIONS - 1);
            assertThat(Immediate.isEdge(RequestIndex.of(slot, generation))).isFalse();
        });
    }

    @Test
    void edgesHaveTheLowestImmediatesThatAreNoRequests() {
        assertThat(Immediate.ofEdge(0)).isEqualTo(0xFFF00000);
        assertThat(Immediate.ofEdge(Immediate.EDGES - 1)).isEqualTo(0xFFF0FFFF);
        for (int other : new int[] {0xFFEFFFFF, 0xFFF10000, Immediate.ACKNOWLEDGEMENT, Immediate.CONTROL_MESSAGE, 0}) {
            assertThat(Immediate.isEdge(other)).as("%08x", other).isFalse();
        }
    }

    @Test
    void slotsAndGenerationsOutOfRangeAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> RequestIndex.of(-1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> RequestIndex.of(RequestIndex.SLOTS, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> RequestIndex.of(0, 4095));
        assertThatIllegalArgumentException().isThrownBy(() -> RequestIndex.of(0, -1));
    }

    @Test
    void aWorkIdGivesBackItsKindItsLaneAndItsDistance() {
        Property.check(1000, draw -> {
            WorkKind kind = draw.of(WorkKind.class);
            int lane = draw.intOf(0, WorkId.LANES - 1);
            long sequence = draw.anyLong();
            int behind = draw.intOf(0, 1 << 20);
            long id = WorkId.of(kind, lane, sequence);
            assertThat(WorkId.kind(id)).isEqualTo(kind);
            assertThat(WorkId.lane(id)).isEqualTo(lane);
            assertThat(WorkId.distance(sequence - behind, id)).isEqualTo(behind);
            assertThat(WorkId.distance(sequence + 1, id)).isEqualTo((1L << 48) - 1);
        });
    }

    @Test
    void idsOfNothingThatWasPostedHaveNoKind() {
        assertThat(WorkId.kind(0)).isNull();
        assertThat(WorkId.kind((1L << 56) - 1)).isNull();
        assertThat(WorkId.kind(10L << 56)).isNull();
        assertThat(WorkId.kind(-1)).isNull();
        assertThatIllegalArgumentException().isThrownBy(() -> WorkId.of(WorkKind.CONTENT, -1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> WorkId.of(WorkKind.CONTENT, WorkId.LANES, 0));
    }
}
