package io.tensorferry.it.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.it.device.VerbsDevices;
import io.tensorferry.it.interop.PingPongGame.Reply;
import io.tensorferry.it.process.FreePorts;
import io.tensorferry.it.process.Place;
import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.choice.ChosenPort;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Our verbs with those of a C program: ping-pong with `ibv_rc_pingpong`, in both roles, on the device that the system
/// property `rdma.device` names.
@Timeout(value = 90, unit = TimeUnit.SECONDS)
@DeviceTests(kind = "interoperability", on = DeviceTests.On.NAMED)
class RcPingPongTest {
    private static final Place OURS = Place.of(0);
    private static final Place THEIRS = Place.of(1);
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int RECEIVES = 50;

    /// The entry of the GID table that the transport takes, which the C program wants to be told.
    private static int gidIndex;

    private static int activeMtu;

    @TempDir
    private Path folder;

    @BeforeAll
    static void bothAreThere() {
        assumeTrue(
                OURS.device() != null && !OURS.device().equals(SoftwareProvider.DEVICE),
                "no RDMA device is named: -Drdma.device=NAME runs this on one");
        assumeTrue(CPingPong.isInstalled(), "there is no ibv_rc_pingpong (Debian: ibverbs-utils)");
        ChosenPort chosen = VerbsDevices.open(OURS.rdmaConfig());
        gidIndex = chosen.gid().index();
        activeMtu = chosen.attributes().activeMtu();
        chosen.device().close();
    }

    @ParameterizedTest(name = "{0} bytes, MTU {2}, events {3}")
    @CsvSource({
        "1,       1000, 1024, false",
        "4096,    1000, 1024, false",
        "4096,    1000, 4096, true",
        "10000,   500,  256,  false",
        "65536,   200,  2048, true",
        "1048576, 50,   4096, false",
        "8388608, 3,    1024, true"
    })
    void ourClientPlaysWithTheirServer(int size, int iterations, int mtu, boolean events) throws Exception {
        PingPongGame game = game(size, iterations, mtu, events);
        int port = FreePorts.pick(1).getFirst();
        List<String> arguments = arguments(size, iterations, mtu, events, port);
        // Then it looks at what we sent.
        arguments.add("-c");
        try (CPingPong theirs = CPingPong.start(THEIRS, folder.resolve("server"), arguments)) {
            PingPongReport ours = game.ask(THEIRS.host(), port);
            assertThat(ours.sent()).isEqualTo(iterations);
            assertThat(ours.received()).isEqualTo(iterations);
            assertThat(ours.checked())
                    .as("messages that came back as they went")
                    .isEqualTo(iterations);
            theirs.assertWent(iterations);
        }
    }

    @ParameterizedTest(name = "{0} bytes, MTU {2}, events {3}")
    @CsvSource({
        "1,       1000, 1024, false",
        "4096,    1000, 1024, true",
        "4096,    1000, 4096, false",
        "10000,   500,  256,  true",
        "65536,   200,  2048, false",
        "1048576, 50,   4096, true",
        "8388608, 3,    1024, false"
    })
    void theirClientPlaysWithOurServer(int size, int iterations, int mtu, boolean events) throws Exception {
        PingPongGame game = game(size, iterations, mtu, events);
        try (var listener = new ServerSocket(0, 1, InetAddress.getByName(OURS.host()))) {
            List<String> arguments = arguments(size, iterations, mtu, events, listener.getLocalPort());
            arguments.add("-c");
            arguments.add(OURS.host());
            try (CPingPong theirs = CPingPong.start(THEIRS, folder.resolve("client"), arguments)) {
                PingPongReport ours = game.answer(listener, Reply.FRESH, true);
                assertThat(ours.sent()).isEqualTo(iterations);
                assertThat(ours.received()).isEqualTo(iterations);
                assertThat(ours.checked())
                        .as("messages that hold what we sent before")
                        .isEqualTo(iterations - 1);
                theirs.assertWent(iterations);
            }
        }
    }

    private static PingPongGame game(int size, int iterations, int mtu, boolean events) {
        assumeTrue(mtu <= activeMtu, () -> "the port's MTU is " + activeMtu);
        RdmaConfig rdma = RdmaConfig.builder()
                .device(OURS.device())
                .gidIndex(gidIndex)
                .mtu(mtu)
                .build();
        return new PingPongGame(new PingPongPlan(rdma, size, iterations, RECEIVES, events, LIMIT));
    }

    private static List<String> arguments(int size, int iterations, int mtu, boolean events, int port) {
        var arguments = new ArrayList<>(List.of("-d", THEIRS.device(), "-p", Integer.toString(port)));
        arguments.addAll(List.of("-g", Integer.toString(gidIndex)));
        arguments.addAll(List.of("-s", Integer.toString(size), "-n", Integer.toString(iterations)));
        arguments.addAll(List.of("-m", Integer.toString(mtu), "-r", Integer.toString(RECEIVES)));
        if (events) {
            arguments.add("-e");
        }
        return arguments;
    }
}
