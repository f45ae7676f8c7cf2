package io.tensorferry.it.interop;

import io.tensorferry.verbs.config.RdmaConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The counterpart of `ibv_rc_pingpong`, with the same names for common options.
@Command(
        name = "rc-pingpong",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description = {
            "Plays ping-pong with ibv_rc_pingpong over a reliable-connected queue pair.",
            "Without HOST it is the server. Both ends take the same -s, -m and -n."
        })
public final class RcPingPong implements Callable<Integer> {
    @Parameters(paramLabel = "HOST", arity = "0..1", description = "the server to connect to")
    private @Nullable String host;

    @Option(names = "-p", paramLabel = "PORT", description = "the server's TCP port")
    private int tcpPort = 18_515;

    @Option(names = "--bind", paramLabel = "ADDRESS", description = "the address on which the server listens")
    private InetAddress bind = InetAddress.getLoopbackAddress();

    @Option(names = "-d", paramLabel = "DEVICE", description = "the device; without it the first usable one")
    private @Nullable String device;

    @Option(names = "-i", paramLabel = "PORT", description = "the device's port; without it the first active one")
    private @Nullable Integer port;

    @Option(names = "-g", paramLabel = "INDEX", description = "the entry of the GID table; without it the transport's")
    private @Nullable Integer gidIndex;

    @Option(names = "-s", paramLabel = "BYTES", description = "size of a message")
    private int size = 4096;

    @Option(names = "-m", paramLabel = "BYTES", description = "MTU of the path")
    private int mtu = 1024;

    @Option(names = "-r", paramLabel = "N", description = "posted receives")
    private int receiveDepth = 500;

    @Option(names = "-n", paramLabel = "N", description = "messages in each direction")
    private int iterations = 1000;

    @Option(names = "-l", paramLabel = "N", description = "service level")
    private int serviceLevel;

    @Option(names = "-e", description = "sleep until something completes")
    private boolean events;

    @Option(names = "-c", description = "as the server: the client has -c too, so check its first message")
    private boolean check;

    @Option(names = "--echo", description = "as the server: send the received message back instead of a new one")
    private boolean echo;

    @Option(names = "--timeout", paramLabel = "S", description = "time limit of a wait in seconds")
    private int timeoutSeconds = 20;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new RcPingPong()).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            System.out.println(play());
            return 0;
        } catch (IOException | RuntimeException e) {
            System.err.println("rc-pingpong: " + e);
            return 1;
        }
    }

    private PingPongReport play() throws IOException, InterruptedException {
        RdmaConfig rdma = RdmaConfig.builder()
                .device(device)
                .port(port)
                .gidIndex(gidIndex)
                .mtu(mtu)
                .serviceLevel(serviceLevel)
                .build();
        var game = new PingPongGame(
                new PingPongPlan(rdma, size, iterations, receiveDepth, events, Duration.ofSeconds(timeoutSeconds)));
        if (host != null) {
            return game.ask(host, tcpPort);
        }
        try (var listener = new ServerSocket(tcpPort, 1, bind)) {
            return game.answer(listener, echo ? PingPongGame.Reply.ECHO : PingPongGame.Reply.FRESH, check);
        }
    }
}
