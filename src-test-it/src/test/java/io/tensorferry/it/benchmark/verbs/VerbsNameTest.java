package io.tensorferry.it.benchmark.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.it.benchmark.contest.Contender;
import io.tensorferry.it.benchmark.contest.Entrant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerbsNameTest {
    @Test
    void rawVerbsHaveQueuesAndNoReceiver() {
        assertThat(VerbsName.of("raw-write@q4l16"))
                .isEqualTo(new VerbsName("raw-write@q4l16", "raw-write", new Queues(4, 16), null));
    }

    @Test
    void aReceiverHasALaneForEachQueuePairAndItsKnobs() {
        assertThat(VerbsName.of("recvAsync").receiver()).isEqualTo(Entrant.of("grpc+verbs"));
        assertThat(VerbsName.of("recvAsync@q4").receiver()).isEqualTo(Entrant.of("grpc+verbs@lanes=4"));
        assertThat(VerbsName.of("recvAsync-busy@q4:chunk=64KiB:inline=0").receiver())
                .isEqualTo(Entrant.of(Contender.BUSY, List.of("lanes=4", "chunk=64KiB", "inline=0")));
    }

    @Test
    void aPathIsComparedWithCOnAsManyQueuePairsAndWithItselfUntuned() {
        assertThat(VerbsName.of("ib_write@q4").bases()).isEmpty();
        assertThat(VerbsName.of("raw-read@q4").bases()).containsExactly("ib_read@q4");
        assertThat(VerbsName.of("recvAsync").bases()).containsExactly("ib_write");
        assertThat(VerbsName.of("recvAsync@q4:chunk=64KiB").bases()).containsExactly("ib_write@q4", "recvAsync@q4");
        assertThat(VerbsName.of("gather@q8l128t2048").bases()).containsExactly("ib_read@q8l128t2048");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "nothing | is unknown; the paths are [ib_write, raw-write, raw-immediate, raw-flag, recvAsync, ",
                "raw-write@ | '' is not of the form q4 (queue pairs), l16",
                "raw-write@q4:l16 | 'q4:l16' is not of the form q4 (queue pairs), l16",
                "raw-read@q8l128t2048 | only C's programs, and the paths compared with them, take a number of requests",
                "recvAsync@signal=1 | 'signal=1': it gathers no rows",
                "raw-write@chunk=4MiB | 'chunk=4MiB': only paths that receive tensors have knobs",
                "ib_write@q4:lanes=2 | 'lanes=2': only paths that receive tensors have knobs",
                "recvAsync@q4:lanes=2 | 'lanes=2': 'lanes' is there twice",
                "recvAsync@chunk=1 | 'chunk=1': chunkBytes 1 must be 4096..1073741824",
            })
    void aPathThatIsWrongIsNamedWithWhatWouldBeRight(String name, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> VerbsName.of(name))
                .withMessageStartingWith("path '" + name + "'")
                .withMessageContaining(message);
    }
}
