package io.tensorferry.it.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathNameTest {
    @Test
    void partsWithAValueAreSettingsAndOthersAreWords() {
        assertThat(PathName.parse("grpc+verbs@busy:chunk=4MiB:underway=16MiB"))
                .isEqualTo(new PathName("grpc+verbs", List.of("busy"), List.of("chunk=4MiB", "underway=16MiB")));
        assertThat(PathName.parse("memcpy")).isEqualTo(new PathName("memcpy", List.of(), List.of()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"memcpy", "raw-write@q4", "recvAsync@q4:chunk=64KiB", "grpc+verbs@chunk=4MiB:inline=0", "a@"})
    void printsWhatItHasRead(String text) {
        assertThat(PathName.parse(text)).hasToString(text);
    }
}
