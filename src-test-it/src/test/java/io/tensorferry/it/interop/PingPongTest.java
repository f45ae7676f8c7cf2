package io.tensorferry.it.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.it.interop.PingPongGame.Reply;
import io.tensorferry.it.process.Place;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.QueuePairAddress;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Our two ends of a ping-pong with each other, so that the test with the C program can rely on them.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PingPongTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @ParameterizedTest
    @CsvSource({"1,500,false", "4096,500,true", "300000,50,true", "300000,50,false"})
    void bothEndsCountAllAndTheClientChecksAll(int size, int iterations, boolean events) throws Exception {
        var game = new PingPongGame(new PingPongPlan(device(), size, iterations, 10, events, LIMIT));
        try (var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var threads = Executors.newSingleThreadExecutor()) {
            Future<PingPongReport> server = threads.submit(() -> game.answer(listener, Reply.ECHO, false));
            PingPongReport client = game.ask("127.0.0.1", listener.getLocalPort());
            assertThat(client.sent()).isEqualTo(iterations);
            assertThat(client.received()).isEqualTo(iterations);
            assertThat(client.checked()).isEqualTo(iterations);
            assertThat(server.get().received()).isEqualTo(iterations);
        }
    }

    @Test
    void oneWrongByteIsFound() {
        try (var arena = Arena.ofConfined()) {
            MemorySegment expected = arena.allocate(10_000);
            PingPongContent.fill(expected, 7);
            MemorySegment received = arena.allocate(10_000).copyFrom(expected);
            assertThatNoException().isThrownBy(() -> PingPongContent.check(received, expected, 7));
            assertThatNoException().isThrownBy(() -> PingPongContent.checkPages(received));

            received.set(ValueLayout.JAVA_BYTE, 8192, (byte) 1);
            assertThatThrownBy(() -> PingPongContent.check(received, expected, 7))
                    .isInstanceOf(PingPongException.class)
                    .hasMessage("message 7 is wrong at byte 8192: 0x01 instead of 0x00");
            assertThatThrownBy(() -> PingPongContent.checkPages(received)).isInstanceOf(PingPongException.class);
        }
    }

    private static RdmaConfig device() {
        Place here = Place.of(0);
        return here.device() == null
                ? RdmaConfig.builder().device(SoftwareProvider.DEVICE).build()
                : here.rdmaConfig();
    }

    @Test
    void anAddressIsWrittenAsTheCProgramWritesIt() {
        var address = new QueuePairAddress(0x12, 0x11, 0xB9E160, Gid.ofIpv4(0x0A63_0001));
        assertThat(AddressText.of(address))
                .isEqualTo("0012:000011:b9e160:00000000000000000000ffff0a630001")
                .hasSize(AddressText.LENGTH);
        assertThat(AddressText.parse(AddressText.of(address))).isEqualTo(address);
        assertThatThrownBy(() -> AddressText.parse("0012:000011:b9e160:00000000000000000000ffff0a63000"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
