package io.tensorferry.it.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({"0,0", "4096,4096", "4KiB,4096", "1MiB,1048576", "64MiB,67108864", "2GiB,2147483648"})
    void readsWhatPeopleWrite(String text, long bytes) {
        assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "KiB", "-1", "4 KiB", "4kb", "1.5MiB", "999999999999GiB"})
    void refusesAnythingElse(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ByteSize.parse(text))
                .withMessageContaining("'" + text + "'");
    }

    @Test
    void printsInTheLargestUnitThatFits() {
        assertThat(ByteSize.parse("4096")).hasToString("4 KiB");
        assertThat(ByteSize.parse("1500")).hasToString("1500 B");
        assertThat(ByteSize.parse("2048GiB")).hasToString("2048 GiB");
    }
}
