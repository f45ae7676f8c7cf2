package io.tensorferry.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class TransportExceptionTest {
    private static final String PEER = "/job:ps/replica:0/task:0";

    private final TransportException failure = new TransportException(
            StatusCode.UNAVAILABLE, "the queue pair failed", PEER, 110, "RETRY_EXC_ERR, vendor error 0x81", null);

    @Test
    void theMessageSaysAllThatIsKnown() {
        assertThat(failure)
                .hasMessage("UNAVAILABLE: the queue pair failed [peer " + PEER
                        + "] [errno 110] [verbs RETRY_EXC_ERR, vendor error 0x81]");
    }

    @Test
    void theReasonIsForMessagesThatSayTheCodeThemselves() {
        assertThat(failure.reason()).isEqualTo("the queue pair failed");
        assertThat(failure.reasonWithDetails())
                .isEqualTo("the queue pair failed [errno 110] [verbs RETRY_EXC_ERR, vendor error 0x81]");
    }

    @Test
    void aFailureWithinAnotherSaysEverythingOnce() {
        TransportException outer = failure.within("receiving", "/job:worker/replica:0/task:7");

        assertThat(outer)
                .hasMessage("UNAVAILABLE: receiving: the queue pair failed [peer " + PEER
                        + "] [errno 110] [verbs RETRY_EXC_ERR, vendor error 0x81]")
                .hasCause(failure);
        assertThat(outer.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(outer.errno()).isEqualTo(110);
    }

    @Test
    void aFailureWithoutAPeerGetsThatOfWhoTellsOfIt() {
        var local = new TransportException(StatusCode.DATA_LOSS, "a byte is missing");

        assertThat(local.within("receiving", PEER))
                .hasMessage("DATA_LOSS: receiving: a byte is missing [peer " + PEER + "]");
    }
}
