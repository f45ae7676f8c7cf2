package io.tensorferry.verbs.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.wire.RequestIndex;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EndingsTest {
    private static final TransportException LOST = new TransportException(StatusCode.UNAVAILABLE, "lost");
    private static final TransportException FAILED = new TransportException(StatusCode.DATA_LOSS, "failed");

    private final Endings<String> endings = new Endings<>();

    /// 1,024 slots of 4,096 bytes, each full of contents of 8 bytes.
    @Test
    void whatARingOfContentsBringsIsRemembered() {
        int contents = 1024 * (4096 / 32);
        for (int i = 0; i < contents; i++) {
            endings.rememberUnlessKnown(RequestIndex.of(i, 0), "channel", LOST);
        }
        for (int i = 0; i < contents; i++) {
            assertThat(endings.remove(RequestIndex.of(i, 0)))
                    .as("ending of request %s", i)
                    .isSameAs(LOST);
        }
        assertThat(endings.size()).isZero();
    }

    @Test
    void thereIsNeverMoreThanOneForASlot() {
        for (int generation = 0; generation < 100; generation++) {
            for (int slot = 0; slot < 1000; slot++) {
                endings.remember(RequestIndex.of(slot, generation), "channel", LOST);
            }
        }
        assertThat(endings.size()).isEqualTo(1000);
        assertThat(endings.remove(RequestIndex.of(5, 98))).isNull();
        assertThat(endings.remove(RequestIndex.of(5, 99))).isSameAs(LOST);
    }

    @Test
    void anEarlierRequestOfTheSlotDoesNotReplaceTheLater() {
        endings.remember(RequestIndex.of(3, 0), "channel", FAILED);
        endings.rememberUnlessKnown(RequestIndex.of(3, RequestIndex.GENERATIONS - 1), "channel", LOST);
        assertThat(endings.remove(RequestIndex.of(3, RequestIndex.GENERATIONS - 1)))
                .isNull();
        assertThat(endings.remove(RequestIndex.of(3, 0))).isSameAs(FAILED);
    }

    @Test
    void aKnownEndingOfTheSameRequestStays() {
        int index = RequestIndex.of(3, 7);
        endings.remember(index, "channel", FAILED);
        endings.rememberUnlessKnown(index, "channel", LOST);
        assertThat(endings.remove(index)).isSameAs(FAILED);
    }

    @Test
    void endingsOfOneChannelAloneAreKept() {
        endings.remember(RequestIndex.of(1, 0), "first", LOST);
        endings.remember(RequestIndex.of(2, 0), "second", LOST);
        endings.forgetAllBut("second");
        assertThat(endings.size()).isEqualTo(1);
        endings.forgetAllBut(null);
        assertThat(endings.size()).isZero();
    }
}
