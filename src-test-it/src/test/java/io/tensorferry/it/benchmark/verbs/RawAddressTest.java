package io.tensorferry.it.benchmark.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.QueuePairAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RawAddressTest {
    @Test
    void comesWholeOutOfItsLine() {
        var address = new RawAddress(
                "rxe0",
                1,
                3,
                true,
                4096,
                List.of(
                        new QueuePairAddress(65_535, 17, 0xFF_FFFF, new Gid(0xFE80_0000_0000_0000L, -5)),
                        new QueuePairAddress(65_535, 18, 0, new Gid(0xFE80_0000_0000_0000L, -5))),
                0x7FFF_1234_5678L,
                -7);

        assertThat(RawAddress.parse(address.toLine())).isEqualTo(address);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "rxe0",
                "rxe0 1 3 true 4096 5 6",
                "rxe0 1 3 true 4096 5 6 0 17 1 0",
                "rxe0 1 3 true 4096 5 6 0 x 1 0 0"
            })
    void refusesAnythingElse(String line) {
        assertThatIllegalArgumentException().isThrownBy(() -> RawAddress.parse(line));
    }
}
