package io.tensorferry.verbs.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class AcceleratorOptionsTest {
    private final AcceleratorOptions options = AcceleratorOptions.defaults();

    @Test
    void aShareIsWholePieces() {
        AcceleratorOptions odd = options.withPieces(12_288, 3).withProxyBytes(100_000);
        assertThat(odd.shareBytes()).isEqualTo(49_152);
        assertThat(odd.shareMemory().maximumBytes()).isEqualTo(49_152);
        assertThat(options.shareBytes()).isEqualTo(128 << 20);
        assertThat(options.shareMemory().slabBytes()).isEqualTo(32 << 20);
    }

    @Test
    void whatMakesNoSenseIsRefusedByNameAndValue() {
        for (int pieces : new int[] {0, 4095, 4097, 64 << 20}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> options.withPieces(pieces, 1))
                    .withMessageContaining("pieceBytes " + pieces);
        }
        for (int atOnce : new int[] {0, 65}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> options.withPieces(4096, atOnce))
                    .withMessageContaining("piecesAtOnce " + atOnce);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.withProxyBytes((8 << 20) - 1))
                .withMessageContaining("proxyBytes 8388607")
                .withMessageContaining("8388608");
    }
}
