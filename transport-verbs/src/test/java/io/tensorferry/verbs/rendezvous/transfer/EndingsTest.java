package io.tensorferry.verbs.rendezvous.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.wire.RequestIndex;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EndingsTest {
    private final TransportException lost = new TransportException(StatusCode.UNAVAILABLE, "lost");
    private final TransportException failed = new TransportException(StatusCode.DATA_LOSS, "failed");

    private final Endings<String> endings = new Endings<>();

    /// 1,024 slots of 4,096 bytes, each full of contents of 8 bytes.
    @Test
    void whatARingOfContentsBringsIsRemembered() {
        int contents = 1024 * (4096 / 32);
        for (int i = 0; i < contents; i++) {
            endings.rememberUnlessKnown(RequestIndex.of(i, 0), "channel", lost);
        }
        for (int i = 0; i < contents; i++) {
            assertThat(endings.remove(RequestIndex.of(i, 0)))
                    .as("ending of request %s", i)
                    .isSameAs(lost);
        }
        assertThat(endings.size()).isZero();
    }

    @Test
    void thereIsNeverMoreThanOneForASlot() {
        for (int generation = 0; generation < 100; generation++) {
            for (int slot = 0; slot < 1000; slot++) {
                endings.remember(RequestIndex.of(slot, generation), "channel", lost);
            }
        }
        assertThat(endings.size()).isEqualTo(1000);
        assertThat(endings.remove(RequestIndex.of(5, 98))).isNull();
        assertThat(endings.remove(RequestIndex.of(5, 99))).isSameAs(lost);
    }

    @Test
    void anEarlierRequestOfTheSlotDoesNotReplaceTheLater() {
        endings.remember(RequestIndex.of(3, 0), "channel", failed);
        endings.rememberUnlessKnown(RequestIndex.of(3, RequestIndex.GENERATIONS - 1), "channel", lost);
        assertThat(endings.remove(RequestIndex.of(3, RequestIndex.GENERATIONS - 1)))
                .isNull();
        assertThat(endings.remove(RequestIndex.of(3, 0))).isSameAs(failed);
    }

    @Test
    void aKnownEndingOfTheSameRequestStays() {
        int index = RequestIndex.of(3, 7);
        endings.remember(index, "channel", failed);
        endings.rememberUnlessKnown(index, "channel", lost);
        assertThat(endings.remove(index)).isSameAs(failed);
    }

    @Test
    void endingsOfOneChannelAloneAreKept() {
        endings.remember(RequestIndex.of(1, 0), "first", lost);
        endings.remember(RequestIndex.of(2, 0), "second", lost);
        endings.forgetAllBut("second");
        assertThat(endings.size()).isEqualTo(1);
        endings.forgetAllBut(null);
        assertThat(endings.size()).isZero();
    }
}
