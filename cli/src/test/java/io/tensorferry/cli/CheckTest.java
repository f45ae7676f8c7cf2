package io.tensorferry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ClusterSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Both ends of a check in this process, on the software device and loopback.
@Timeout(120)
class CheckTest {
    private static String freeAddress() throws IOException {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            return "127.0.0.1:" + socket.getLocalPort();
        }
    }

    private static Run serve(String address, String... more) throws Exception {
        String[] arguments = IntStream.range(0, more.length + 2)
                .mapToObj(i -> i == 0 ? "serve" : i == 1 ? address : more[i - 2])
                .toArray(String[]::new);
        return Run.start(arguments).awaitOutput("serving checks on " + address + " with soft0");
    }

    @Test
    void saysWhatWasAgreedOnAndHowLongTensorsTake() throws Exception {
        String address = freeAddress();
        Run server = serve(address, "--once");
        Run check = Run.start("check", address, "--sizes=1,13,4KiB,3MiB", "--rounds=3");

        assertThat(check.status()).as(check.err()).isZero();
        assertThat(server.status()).as(server.out()).isZero();

        assertThat(server.out()).contains("check of ::ffff:127.0.0.1: 4 sizes, all correct");
        String text = check.out().replaceAll(" +", " ");
        assertThat(text)
                .startsWith(address + " answers by TCP in ")
                .contains("; this end is 127.0.0.1\n")
                .contains("channel set up in ")
                .contains(" GID ::ffff:127.0.0.1 <-> ::ffff:127.0.0.1\n")
                .contains(" lanes 1\n MTU 4096\n ring 256 slots of 4096 bytes in each direction\n")
                .contains(" largest write 1 GiB\n device soft0 port 1\n")
                .contains(" other's device soft0 port 1 (tensorferry development)\n")
                .contains(" way shared memory <-> shared memory\n");
        for (String direction : List.of("tensors from the other end", "tensors to the other end")) {
            String table = text.substring(text.indexOf(direction));
            assertThat(table.lines().skip(1).limit(5).map(line -> line.strip().replaceAll(" \\d.*", "")))
                    .containsExactly("size first best median", "1 B", "13 B", "4 KiB", "3 MiB");
        }
    }

    @Test
    void scriptsGetJson() throws Exception {
        String address = freeAddress();
        Run server = serve(address, "--once");
        Run check = Run.start("check", address, "--json", "--sizes=64", "--rounds=2");

        assertThat(check.status()).as(check.err()).isZero();
        assertThat(server.status()).isZero();

        JsonObject all = JsonParser.parseString(check.out()).getAsJsonObject();
        assertThat(all.get("ok").getAsBoolean()).isTrue();
        assertThat(all.get("failure").isJsonNull()).isTrue();
        assertThat(all.get("mtu").getAsInt()).isEqualTo(4096);
        assertThat(all.get("receive_depth").getAsInt()).isEqualTo(1024);
        assertThat(all.getAsJsonObject("own").getAsJsonArray("queue_pairs")).hasSize(2);
        assertThat(all.getAsJsonObject("other").get("device").getAsString()).isEqualTo("soft0");
        for (String end : List.of("own", "other")) {
            assertThat(all.getAsJsonObject(end).get("way").getAsString()).isEqualTo("shared memory");
        }
        for (String direction : List.of("received", "sent")) {
            JsonObject row = all.getAsJsonArray(direction).get(0).getAsJsonObject();
            assertThat(row.get("bytes").getAsLong()).isEqualTo(64);
            assertThat(row.get("rounds").getAsInt()).isEqualTo(2);
            assertThat(row.get("best_ns").getAsLong()).isPositive();
        }
    }

    @Test
    void whatIsDemandedOfTheCarrierIsSeen() throws Exception {
        String address = freeAddress();
        Run server = serve(address, "--once");
        Map<String, String> overTcp = Map.of("RDMA_DEVICE", "soft0", "RDMA_SOFT_CARRIER", "tcp");
        Run check = Run.start(overTcp, "check", address, "--sizes=64", "--rounds=2");

        assertThat(check.status()).as(check.err()).isZero();
        assertThat(server.status()).isZero();
        assertThat(check.out().replaceAll(" +", " ")).contains(" way TCP <-> TCP\n");
    }

    @Test
    void severalMachinesCheckAtTheSameTimeAndOneAfterTheOther() throws Exception {
        String address = freeAddress();
        Run server = serve(address);
        for (int round = 0; round < 2; round++) {
            List<Run> checks = IntStream.range(2, 6)
                    .mapToObj(host -> Run.start("check", address, "--address=127.0.0." + host, "--sizes=4KiB"))
                    .toList();
            for (Run check : checks) {
                assertThat(check.status()).as(check.err()).isZero();
            }
        }
        for (int host = 2; host < 6; host++) {
            server.awaitOutput("check of ::ffff:127.0.0." + host + ": 1 sizes, all correct");
        }

        server.interrupt();
        assertThat(server.status()).isZero();
    }

    @Test
    void whereNobodyServesItSaysSoAtOnce() throws Exception {
        String address = freeAddress();
        Run check = Run.start("check", address, "--json");
        assertThat(check.status()).isOne();
        assertThat(check.err().lines())
                .singleElement()
                .asString()
                .startsWith("tensorferry check: no server answers at " + address
                        + " (Connection refused); start one there:" + " tensorferry serve " + address);
        JsonObject all = JsonParser.parseString(check.out()).getAsJsonObject();
        assertThat(all.get("ok").getAsBoolean()).isFalse();
        assertThat(all.get("failure").getAsString()).startsWith("no server answers at " + address);
    }

    @Test
    void aWorkerOfAClusterIsNotTakenForAServer() throws Exception {
        for (String protocol : List.of("grpc+verbs", "grpc")) {
            String address = freeAddress();
            try (var _ = TransportServer.builder()
                    .cluster(ClusterSpec.of(Map.of("worker", List.of(address))))
                    .job("worker")
                    .task(0)
                    .protocol(protocol)
                    .start()) {
                Run check = Run.start("check", address);
                assertThat(check.status()).isOne();
                assertThat(check.err().lines())
                        .singleElement()
                        .asString()
                        .contains("the server there is not 'tensorferry serve'; a worker of a cluster accepts only"
                                + " members");
            }
        }
    }

    @Test
    void anAddressInUseCannotBeServed() throws Exception {
        String address = freeAddress();
        Run server = serve(address);
        Run second = Run.start("serve", address);
        assertThat(second.status()).isOne();
        assertThat(second.err())
                .startsWith("tensorferry serve: FAILED_PRECONDITION: ")
                .contains("cannot listen on");
        server.interrupt();
        assertThat(server.status()).isZero();
    }
}
