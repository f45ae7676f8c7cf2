package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;

/// What the nodes say after an exchange, read and checked.
final class ExchangeReport {
    private static final Pattern EXPECTED = Pattern.compile("expected=(\\d+) right=(\\d+)");

    private ExchangeReport() {}

    /// Checks that all tensors of `plan` arrived, each once and right, and nothing else.
    static void assertComplete(TrafficPlan plan, List<String> answers) {
        int right = 0;
        for (String answer : answers) {
            assertThat(answer).as("exchange %s", plan).contains("wrong=0 failed=0 repeated=0 problem=none");
            var matcher = EXPECTED.matcher(answer);
            assertThat(matcher.find()).as(answer).isTrue();
            assertThat(matcher.group(2)).as(answer).isEqualTo(matcher.group(1));
            right += Integer.parseInt(matcher.group(2));
        }
        assertThat(right).as("tensors received in exchange %s", plan).isEqualTo(plan.count());
    }
}
