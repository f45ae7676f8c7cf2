package io.tensorferry.it.benchmark.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueuesTest {
    @ParameterizedTest
    @CsvSource({"raw-write,1,1", "raw-write@q4,4,1", "raw-write@l16,1,16", "raw-write@q4l16,4,16"})
    void aPathsNameSaysThem(String path, int lanes, int list) {
        var queues = new Queues(lanes, list);

        assertThat(Queues.of(path)).isEqualTo(queues);
        assertThat(Queues.plain(path)).isEqualTo("raw-write");
        assertThat(queues.on("raw-write")).isEqualTo(path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"raw-write@", "raw-write@4", "raw-write@q0", "raw-write@l16q4", "raw-write@q4@l16"})
    void anythingElseIsRefused(String path) {
        assertThatIllegalArgumentException().isThrownBy(() -> Queues.of(path)).withMessageContaining(path);
    }

    @Test
    void ofAnotherPathTheyAreTheSame() {
        assertThat(Queues.of("raw-write@q4").on("ib_write")).isEqualTo("ib_write@q4");
    }
}
