package io.tensorferry.it.benchmark.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.partition.GatherOptions;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.PostingOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KnobsTest {
    private static final ChannelOptions USUAL = ChannelOptions.defaults();

    @Test
    void eachTurnsItsOption() {
        Knobs knobs = Knobs.parse(List.of(
                "lanes=4", "stripe=256KiB", "chunk=64KiB", "underway=256KiB", "inline=0", "ring=100", "reads=3"));

        ChannelOptions tuned = knobs.applyTo(USUAL);

        assertThat(tuned.lanes()).isEqualTo(4);
        assertThat(tuned.stripeBytes()).isEqualTo(256 << 10);
        assertThat(tuned.readsAtOnce()).isEqualTo(3);
        assertThat(tuned.posting())
                .isEqualTo(new PostingOptions(USUAL.posting().signalInterval(), 64 << 10, 256 << 10, 0, 100));
    }

    @Test
    void eachTurnsItsOptionOfAGather() {
        Knobs knobs = Knobs.parse(List.of("qps=1", "signal=2", "sorted=0", "merged=1"));

        assertThat(knobs.applyTo(GatherOptions.defaults().withMerged(false)))
                .isEqualTo(GatherOptions.defaults()
                        .withQueuePairs(1)
                        .withSignalInterval(2)
                        .withSorted(false));
        assertThat(knobs.concernGathers()).isTrue();
        assertThat(Knobs.parse(List.of("reads=1")).concernGathers()).isFalse();
    }

    @Test
    void eachTurnsItsOptionOfAnAccelerator() {
        Knobs knobs = Knobs.parse(List.of("piece=4MiB", "pieces=16", "proxies=1GiB"));

        assertThat(knobs.applyTo(AcceleratorOptions.defaults()))
                .isEqualTo(AcceleratorOptions.defaults().withProxyBytes(1 << 30).withPieces(4 << 20, 16));
        assertThat(knobs.concernAccelerators()).isTrue();
        assertThat(Knobs.parse(List.of("reads=1")).concernAccelerators()).isFalse();
    }

    @Test
    void whatIsNotTurnedStaysAsItIs() {
        ChannelOptions options = USUAL.withSpin(Duration.ofDays(1)).withStripeBytes(8192);

        assertThat(Knobs.NONE.applyTo(options)).isEqualTo(options);
        assertThat(Knobs.parse(List.of("lanes=2")).applyTo(options)).isEqualTo(options.withLanes(2));
    }

    @Test
    void whatDependsOnEachOtherMayComeInAnyOrder() {
        assertThat(Knobs.parse(List.of("chunk=16MiB", "underway=32MiB")))
                .isEqualTo(Knobs.parse(List.of("underway=32MiB", "chunk=16MiB")));
        assertThat(Knobs.parse(List.of("underway=8KiB", "chunk=4KiB")))
                .isEqualTo(Knobs.parse(List.of("chunk=4KiB", "underway=8KiB")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "chnk=4MiB | there is no knob 'chnk'; the knobs are lanes (lanes), stripe (stripeBytes), chunk (chunkBytes),",
                "=4MiB | there is no knob ''",
                "chunk= | size '' is not of the form 4096, 4KiB",
                "chunk=4MB | size '4MB' is not of the form 4096, 4KiB",
                "chunk=1KiB | chunkBytes 1024 must be 4096..1073741824",
                "chunk=4GiB | must be 4096..1073741824",
                "underway=1 | bytesUnderWay 1 must be at least",
                "inline=-1 | size '-1' is not of the form",
                "inline=1MiB | inlineBytes 1048576 must be 0..65536",
                "stripe=1 | stripeBytes 1 must be 4096 or more",
                "stripe=999999999999GiB | 2^63 bytes or more",
                "lanes=65 | lanes 65 must be 0..64",
                "reads=256 | readsAtOnce 256 must be 0..255",
                "signal=0 | signalInterval 0 must be 1 or more",
                "piece=1 | pieceBytes 1 must be a multiple of 4096",
                "pieces=65 | piecesAtOnce 65 must be 1..64",
                "proxies=1KiB | proxyBytes 1024 must be 4 pieces or more",
                "sorted=2 | it is on (1) or off (0)",
            })
    void aWrongOneIsNamedWithWhatWouldBeRight(String setting, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Knobs.parse(List.of("lanes=2", setting)))
                .withMessageContainingAll("'" + setting + "'", message);
    }

    @Test
    void oneThatIsThereTwiceIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Knobs.parse(List.of("chunk=1MiB", "chunk=2MiB")))
                .withMessage("'chunk=2MiB': 'chunk' is there twice");
    }

    @Test
    void twoThatDoNotGoTogetherAreNamedWithTheKnobs() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Knobs.parse(List.of("chunk=32MiB")))
                .withMessageContainingAll(
                        "'chunk=32MiB': bytesUnderWay 16777216 must be at least chunkBytes, 33554432",
                        "underway (bytesUnderWay)");
    }
}
