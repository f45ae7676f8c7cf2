package io.tensorferry.it.benchmark.contest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.it.benchmark.PathName;
import io.tensorferry.it.benchmark.rendezvous.Knobs;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class EntrantTest {
    @ParameterizedTest
    @EnumSource
    void aContenderIsOneAsItComes(Contender contender) {
        assertThat(Entrant.of(contender.path())).isEqualTo(new Entrant(contender.path(), contender, Knobs.NONE));
    }

    @ParameterizedTest
    @CsvSource({
        "grpc+verbs@lanes=2:chunk=64KiB,VERBS",
        "grpc+verbs@busy:lanes=2:chunk=64KiB,BUSY",
        "grpc+verbs@gpu:lanes=2:chunk=64KiB,GPU",
        "grpc+verbs@tcp:lanes=2:chunk=64KiB,VERBS_TCP",
        "grpc+verbs@request:lanes=2:chunk=64KiB,WINDOWS"
    })
    void everyVariantHasKnobs(String name, Contender contender) {
        Entrant entrant = Entrant.of(name);

        assertThat(entrant).hasToString(name);
        assertThat(entrant.contender()).isEqualTo(contender);
        assertThat(entrant.knobs()).isEqualTo(Knobs.parse(List.of("lanes=2", "chunk=64KiB")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "nothing | is unknown; the paths are [grpc+verbs, ",
                "grpc+verbs@ | is unknown; the paths are [grpc+verbs, ",
                "grpc+verbs@bsuy:lanes=2 | the paths are [grpc+verbs, ",
                "grpc+verbs@busy:tcp | is unknown; the paths are [grpc+verbs, ",
                "grpc+verbs@chunk | as grpc+verbs@chunk=4MiB",
                "grpc+verbs@busy:chunk=1 | 'chunk=1': chunkBytes 1 must be 4096..1073741824",
                "grpc@chunk=4MiB | 'chunk=4MiB': only grpc+verbs and its variants have knobs",
                "grpc+verbs@busy:piece=1MiB | 'piece=1MiB': it has no accelerator",
                "grpc+verbs@gpu:merged=0 | 'merged=0': it gathers no rows",
                "gpu-copies@lanes=2 | 'lanes=2': only grpc+verbs and its variants have knobs",
                "memcpy@lanes=2 | 'lanes=2': only grpc+verbs and its variants have knobs",
            })
    void aPathThatIsWrongIsNamedWithWhatWouldBeRight(String name, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Entrant.of(name))
                .withMessageContainingAll("path '" + PathName.parse(name).plain(), message);
    }
}
