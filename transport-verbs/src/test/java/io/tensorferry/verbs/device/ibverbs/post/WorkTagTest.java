package io.tensorferry.verbs.device.ibverbs.post;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.testing.Property;
import org.junit.jupiter.api.Test;

class WorkTagTest {
    @Test
    void whatGoesInComesOut() {
        Property.check(1000, draw -> {
            int index = draw.intOf(0, WorkTag.MAX_INDEX);
            int generation = draw.anyInt();
            boolean receive = draw.bool();
            int slot = draw.anyInt();
            int owner = WorkTag.owner(index, generation);
            long tag = WorkTag.of(owner, receive, slot);
            assertThat(WorkTag.owner(tag)).isEqualTo(owner);
            assertThat(WorkTag.index(owner)).isEqualTo(index);
            assertThat(WorkTag.isReceive(tag)).isEqualTo(receive);
            assertThat(WorkTag.slot(tag)).isEqualTo(slot);
        });
    }

    @Test
    void theNextGenerationIsAnotherOwner() {
        Property.check(1000, draw -> {
            int index = draw.intOf(0, WorkTag.MAX_INDEX);
            int generation = draw.anyInt();
            assertThat(WorkTag.owner(index, generation)).isNotEqualTo(WorkTag.owner(index, generation + 1));
        });
    }
}
