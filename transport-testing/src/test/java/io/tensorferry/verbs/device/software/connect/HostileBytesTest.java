package io.tensorferry.verbs.device.software.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.SoftwareEnd;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import io.tensorferry.verbs.device.software.stream.Frame;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A client of the listening port can end its own connection, and nothing else.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostileBytesTest {
    private static final long SEED = 4711;
    private static final Duration HELLO_TIMEOUT = Duration.ofMillis(300);
    private static final int MOST_GREETINGS = 8;

    private VerbsDevice device;
    private SoftwareEnd one;
    private SoftwareEnd other;
    private long written;

    @BeforeEach
    void open() {
        device = new SoftwareProvider(SoftwareOptions.defaults()
                        .withCarrier(SoftCarrier.TCP)
                        .withHelloTimeout(HELLO_TIMEOUT)
                        .withMostGreetings(MOST_GREETINGS))
                .open("soft0");
        one = new SoftwareEnd(device, 65_536, 256);
        other = new SoftwareEnd(device, 65_536, 256);
        SoftwareEnd.connect(one, other);
    }

    @AfterEach
    void close() {
        one.close();
        other.close();
        device.close();
    }

    private SocketChannel dial() throws IOException {
        return SocketChannel.open(new InetSocketAddress(
                InetAddress.ofLiteral("127.0.0.1"), device.port(1).lid()));
    }

    private void assertStillWorks() {
        one.memory.fill((byte) ++written);
        one.write(written, 65_536, other);
        one.await((int) written);
        assertThat(one.statuses).containsOnly(WorkStatus.SUCCESS);
        assertThat(other.memory.mismatch(one.memory)).isEqualTo(-1);
        assertThat(one.events).isEmpty();
    }

    /// Reads until the device ends the connection.
    private static void awaitEnd(SocketChannel channel) {
        try {
            ByteBuffer buffer = ByteBuffer.allocate(4096);
            while (channel.read(buffer.clear()) >= 0) {
                // The device's bytes do not matter.
            }
        } catch (IOException reset) {
            // Ended as well.
        }
    }

    @Test
    void randomBytesEndTheirConnectionOnly() throws IOException {
        var random = new Random(SEED);
        for (int i = 0; i < 300; i++) {
            try (SocketChannel channel = dial()) {
                byte[] bytes = new byte[Frame.BYTES + random.nextInt(2000)];
                random.nextBytes(bytes);
                write(channel, ByteBuffer.wrap(bytes));
                awaitEnd(channel);
            }
        }
        assertStillWorks();
    }

    private static void write(SocketChannel channel, ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException reset) {
            // The device has ended it already.
        }
    }

    @Test
    void almostValidHellosAreRefused() throws IOException {
        var random = new Random(SEED);
        for (int i = 0; i < 300; i++) {
            ByteBuffer hello = ByteBuffer.allocate(Frame.BYTES);
            Frame.putHello(
                    hello,
                    new Frame.Hello(
                            7,
                            77,
                            other.queuePair.number(),
                            one.queuePair.number(),
                            device.gid(1, 0).gid().ipv4Address(),
                            device.port(1).lid(),
                            false));
            hello.put(random.nextInt(Frame.BYTES), (byte) random.nextInt());
            try (SocketChannel channel = dial()) {
                write(channel, hello);
                channel.shutdownOutput();
                awaitEnd(channel);
            }
        }
        assertStillWorks();
    }

    @Test
    void requestsOfAnAcceptedPeerAreCheckedToo() throws IOException {
        var random = new Random(SEED);
        for (int i = 0; i < 200; i++) {
            // A separate queue pair, connected to one that this test simulates.
            try (var victim = new SoftwareEnd(device, 4096, 64);
                    var played = new SoftwareEnd(device, 4096, 64);
                    SocketChannel channel = dial()) {
                victim.connectTo(played);
                ByteBuffer hello = ByteBuffer.allocate(Frame.BYTES);
                Frame.putHello(
                        hello,
                        new Frame.Hello(
                                7,
                                77,
                                victim.queuePair.number(),
                                played.queuePair.number(),
                                device.gid(1, 0).gid().ipv4Address(),
                                device.port(1).lid(),
                                false));
                write(channel, hello);
                ByteBuffer answer = ByteBuffer.allocate(Frame.BYTES);
                while (answer.hasRemaining() && channel.read(answer) >= 0) {
                    // The hello is accepted first.
                }
                assertThat(Frame.answerKind(answer)).isEqualTo(Frame.HELLO_ACCEPTED);
                byte[] bytes = new byte[Frame.BYTES * 4];
                random.nextBytes(bytes);
                bytes[0] = 0x54;
                bytes[1] = (byte) random.nextInt(12);
                bytes[2] = 0;
                bytes[3] = 0;
                ByteBuffer.wrap(bytes).putInt(4, 77);
                write(channel, ByteBuffer.wrap(bytes));
                channel.shutdownOutput();
                awaitEnd(channel);
                assertThat(victim.memory.mismatch(MemorySegment.ofArray(new byte[4096])))
                        .as("nothing was written, seed %d, round %d", SEED, i)
                        .isEqualTo(-1);
            }
        }
        assertStillWorks();
    }

    @Test
    void whoSaysNothingIsDroppedAfterATime() throws IOException {
        try (SocketChannel silent = dial();
                SocketChannel slow = dial()) {
            write(slow, ByteBuffer.wrap(new byte[] {0x54, 1, 7}));
            awaitEnd(silent);
            awaitEnd(slow);
        }
        assertStillWorks();
    }

    @Test
    void manyWhoSayNothingDoNotKeepAPeerOut() throws IOException {
        List<SocketChannel> silent = new ArrayList<>();
        for (int i = 0; i < 10 * MOST_GREETINGS; i++) {
            silent.add(dial());
        }
        try (var late = new SoftwareEnd(device, 4096, 16);
                var peer = new SoftwareEnd(device, 4096, 16)) {
            SoftwareEnd.connect(late, peer);
            late.write(1, 4096, peer);
            late.await(1);
            assertThat(late.statuses).containsExactly(WorkStatus.SUCCESS);
        }
        for (SocketChannel channel : silent) {
            awaitEnd(channel);
            channel.close();
        }
        assertStillWorks();
    }
}
