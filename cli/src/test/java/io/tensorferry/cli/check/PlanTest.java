package io.tensorferry.cli.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanTest {
    private static void assertRefused(Plan plan, String why) {
        assertThatIllegalArgumentException().isThrownBy(plan::check).withMessageContaining(why);
    }

    @Test
    void takesAsManyRoundsAsAreMovedInAMoment() {
        assertThat(Plan.Item.of(8).rounds()).isEqualTo(100);
        assertThat(Plan.Item.of(1 << 20).rounds()).isEqualTo(64);
        assertThat(Plan.Item.of(1 << 30).rounds()).isEqualTo(5);
    }

    @Test
    void whatAnotherVersionOrAStrangerSendsIsRefused() {
        var item = new Plan.Item(8, 1);
        assertThat(new Plan(Plan.VERSION, List.of(item)).check()).containsExactly(item);
        assertRefused(new Plan(2, List.of(item)), "use the same tensorferry at both ends");
        assertRefused(new Plan(Plan.VERSION, null), "1 to 32 sizes");
        assertRefused(new Plan(Plan.VERSION, List.of()), "1 to 32 sizes");
        assertRefused(new Plan(Plan.VERSION, Collections.nCopies(33, item)), "1 to 32 sizes");
        assertRefused(new Plan(Plan.VERSION, Collections.singletonList(null)), "a size is missing");
        assertRefused(new Plan(Plan.VERSION, List.of(new Plan.Item(0, 1))), "size 0 must be in 1..1073741824");
        assertRefused(new Plan(Plan.VERSION, List.of(new Plan.Item((1L << 30) + 1, 1))), "must be in 1..1073741824");
        assertRefused(new Plan(Plan.VERSION, List.of(new Plan.Item(8, 0))), "rounds 0 must be in 1..10000");
        assertRefused(new Plan(Plan.VERSION, List.of(new Plan.Item(8, 10_001))), "must be in 1..10000");
    }
}
