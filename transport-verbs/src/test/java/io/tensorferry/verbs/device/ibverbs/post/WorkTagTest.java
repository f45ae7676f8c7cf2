package io.tensorferry.verbs.device.ibverbs.post;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class WorkTagTest {
    @Property
    void whatGoesInComesOut(
            @ForAll @IntRange(max = WorkTag.MAX_INDEX) int index,
            @ForAll int generation,
            @ForAll boolean receive,
            @ForAll int slot) {
        int owner = WorkTag.owner(index, generation);
        long tag = WorkTag.of(owner, receive, slot);
        assertThat(WorkTag.owner(tag)).isEqualTo(owner);
        assertThat(WorkTag.index(owner)).isEqualTo(index);
        assertThat(WorkTag.isReceive(tag)).isEqualTo(receive);
        assertThat(WorkTag.slot(tag)).isEqualTo(slot);
    }

    @Property
    void theNextGenerationIsAnotherOwner(@ForAll @IntRange(max = WorkTag.MAX_INDEX) int index, @ForAll int generation) {
        assertThat(WorkTag.owner(index, generation)).isNotEqualTo(WorkTag.owner(index, generation + 1));
    }
}
