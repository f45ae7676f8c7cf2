package io.tensorferry.grpc.tensors;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class SendBudgetTest {
    private final SendBudget budget = new SendBudget(10);
    private final List<String> granted = new ArrayList<>();

    private SendBudget.Share ask(String name, long bytes) {
        return budget.ask(bytes, () -> granted.add(name));
    }

    @Test
    void grantsInTheOrderOfAskingAsSharesComeBack() {
        var first = ask("first", 6);
        var second = ask("second", 6);
        var third = ask("third", 1);
        assertThat(granted).containsExactly("first");

        first.giveBack();

        assertThat(granted).containsExactly("first", "second", "third");
        assertThat(second.isGranted()).isTrue();
        assertThat(third.isGranted()).isTrue();
    }

    @Test
    void grantsAllThereIsToWhoeverAsksForMore() {
        var all = ask("all", 1000);
        assertThat(all.isGranted()).isTrue();
        ask("none", 1);
        assertThat(granted).containsExactly("all");

        all.giveBack();
        assertThat(granted).containsExactly("all", "none");
    }

    @Test
    void forgetsAWishThatWasGivenUp() {
        var held = ask("held", 10);
        ask("given up", 10).giveBack();
        ask("next", 10);

        held.giveBack();
        held.giveBack();

        assertThat(granted).containsExactly("held", "next");
    }
}
