package io.tensorferry.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({"0,0", "4096,4096", "4KiB,4096", "3MiB,3145728", "2GiB,2147483648"})
    void readsWhatPeopleWrite(String text, long bytes) {
        assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "KiB", "-1", "4 KiB", "4kb", "1.5MiB", "9999999999"})
    void refusesWhatIsNoSize(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ByteSize.parse(text))
                .withMessageContaining("'" + text + "' is not a size");
    }

    @Test
    void printsTheLargestUnitThatDividesIt() {
        assertThat(new ByteSize(0)).hasToString("0 B");
        assertThat(new ByteSize(1025)).hasToString("1025 B");
        assertThat(new ByteSize(64 << 10)).hasToString("64 KiB");
        assertThat(new ByteSize(1L << 31)).hasToString("2 GiB");
    }
}
