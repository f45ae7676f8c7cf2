package io.tensorferry.it.benchmark.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.it.benchmark.PathName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueuesTest {
    @ParameterizedTest
    @CsvSource({
        "raw-write,1,1,0",
        "raw-write@q4,4,1,0",
        "raw-write@l16,1,16,0",
        "raw-write@q4l16,4,16,0",
        "raw-write@q8l128t2048,8,128,2048",
        "raw-write@t16,1,1,16"
    })
    void aPathsNameSaysThem(String path, int lanes, int list, int depth) {
        var queues = new Queues(lanes, list, depth);

        assertThat(Queues.of(PathName.parse(path))).isEqualTo(queues);
        assertThat(queues.on("raw-write")).isEqualTo(path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"raw-write@", "raw-write@4", "raw-write@q0", "raw-write@l16q4", "raw-write@q4@l16", "raw-write@t"
            })
    void anythingElseIsRefused(String path) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Queues.of(PathName.parse(path)))
                .withMessageContaining("q4l16");
    }

    @Test
    void aListThatIsNeverUnderWayIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Queues.of(PathName.parse("ib_read@l128t64")))
                .withMessage("a list of 128 work requests, and 64 under way");
    }

    @Test
    void ofAnotherPathTheyAreTheSame() {
        assertThat(Queues.of(PathName.parse("recvAsync@q4:chunk=64KiB")).on("ib_write"))
                .isEqualTo("ib_write@q4");
    }
}
