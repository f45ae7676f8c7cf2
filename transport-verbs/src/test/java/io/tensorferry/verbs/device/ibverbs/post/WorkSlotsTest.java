package io.tensorferry.verbs.device.ibverbs.post;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.testing.Property;
import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class WorkSlotsTest {
    @Test
    void holdsItsDepthAndNoMore() {
        var slots = new WorkSlots(3);
        int first = slots.prepare(10);
        slots.take();
        slots.prepare(11);
        slots.take();
        assertThat(slots.isFull()).isFalse();
        slots.prepare(12);
        slots.take();
        assertThat(slots.isFull()).isTrue();
        assertThat(slots.free(first)).isEqualTo(10);
        assertThat(slots.isFull()).isFalse();
    }

    @Test
    void aRequestThatWasRefusedTakesNoSlot() {
        var slots = new WorkSlots(1);
        slots.prepare(1);
        assertThat(slots.isFull()).isFalse();
        int second = slots.prepare(2);
        slots.take();
        assertThat(slots.free(second)).isEqualTo(2);
    }

    @Test
    void aCompletionFreesTheUnsignaledOnesBeforeIt() {
        var slots = new WorkSlots(4);
        int last = 0;
        for (int i = 0; i < 4; i++) {
            last = slots.prepare(i);
            slots.take();
        }
        assertThat(slots.free(last)).isEqualTo(3);
        for (int i = 0; i < 4; i++) {
            assertThat(slots.isFull()).isFalse();
            slots.prepare(i);
            slots.take();
        }
        assertThat(slots.isFull()).isTrue();
    }

    @Test
    void forgetsWhatNeverCompletes() {
        var slots = new WorkSlots(1);
        slots.prepare(1);
        slots.take();
        slots.clear();
        assertThat(slots.isFull()).isFalse();
    }

    /// Compared with a queue of the work ids.
    @Test
    void worksLikeAQueue() {
        Property.check(1000, draw -> assertWorksLikeAQueue(draw.intOf(1, 100), draw.anyLong()));
    }

    private static void assertWorksLikeAQueue(int depth, long seed) {
        record Posted(int slot, long workId) {}
        var random = new SplittableRandom(seed);
        var slots = new WorkSlots(depth);
        var model = new ArrayDeque<Posted>();
        long next = seed;
        for (int i = 0; i < 500; i++) {
            assertThat(slots.isFull()).isEqualTo(model.size() == depth);
            if (!slots.isFull() && random.nextBoolean()) {
                model.add(new Posted(slots.prepare(next), next));
                slots.take();
                next++;
            } else if (!model.isEmpty()) {
                List<Posted> outstanding = List.copyOf(model);
                Posted completed = outstanding.get(random.nextInt(outstanding.size()));
                while (!model.remove().equals(completed)) {
                    // Unsignaled: its slot is freed by this one.
                }
                assertThat(slots.free(completed.slot)).isEqualTo(completed.workId);
            }
        }
    }
}
