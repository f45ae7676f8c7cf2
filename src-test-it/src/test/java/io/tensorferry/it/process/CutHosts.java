package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Two workers in network namespaces of their own, and the network between them is cut under full load and heals. The
/// properties of [Place] name the namespaces. The network device `cut.device` of the first is taken down, or loses all
/// that it sends where `cut.emulated` says so: a port that is down ends a channel by itself.
///
/// Run by [CutNetworkIT], and in the guest.
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class CutHosts {
    private static final List<Integer> BOTH = List.of(0, 1);
    private static final boolean EMULATED = Boolean.getBoolean("cut.emulated");
    private static final String DEVICE = System.getProperty("cut.device", "eth1");
    /// A short cut ends when no answer has come for this time. The time is less than `peerTimeout`, which is how
    /// `soft0` notices. Another device may notice within half a second. Then the set-up must get through within
    /// `reconnectTimeout`, 3 s, though TCP sends again after pauses that double.
    private static final Duration STANDSTILL = EMULATED ? Duration.ofMillis(800) : Duration.ofSeconds(2);

    /// `peerTimeout`, then `reconnectTimeout`, and what a busy machine takes.
    private static final Duration LIMIT = Duration.ofSeconds(10 + 3 + 4);

    @Test
    void aShortCutLosesNothing() throws Exception {
        try (NodeCluster cluster = NodeCluster.underLoad(BOTH.size())) {
            cut(true);
            cluster.awaitStandstill(Map.of(0, 1, 1, 0), STANDSTILL);
            cut(false);
            // A lost request would stop the load; the book counts a lost question or answer as unanswered.
            cluster.awaitRound(BOTH);
            assertThat(cluster.unload(BOTH))
                    .allSatisfy(
                            book -> assertThat(book).startsWith("lost=0 wrong=0 repeated=0 failed=0 unanswered=0 "));
            cluster.stop(BOTH);
        }
    }

    @Test
    void aLongCutEndsReceivesWithinTheBoundAndTheyGoOnWhenItHeals() throws Exception {
        try (NodeCluster cluster = NodeCluster.underLoad(BOTH.size())) {
            long cutNs = System.nanoTime();
            cut(true);
            for (int node : BOTH) {
                cluster.node(node).awaitLine("GONE " + (1 - node), LIMIT);
            }
            System.out.printf(
                    "a cut was noticed after %d ms%n",
                    Duration.ofNanos(System.nanoTime() - cutNs).toMillis());
            long healedNs = System.nanoTime();
            cut(false);
            for (int node : BOTH) {
                cluster.node(node).awaitLine("AGAIN " + (1 - node), NodeCluster.LIMIT);
            }
            System.out.printf(
                    "answers came again %d ms after it healed%n",
                    Duration.ofNanos(System.nanoTime() - healedNs).toMillis());
            assertThat(cluster.unload(BOTH))
                    .allSatisfy(book -> assertThat(book).startsWith("lost=0 wrong=0 repeated=0 failed="));
            cluster.stop(BOTH);
        }
    }

    /// Nothing goes between the hosts, or again.
    private static void cut(boolean now) throws IOException, InterruptedException {
        var words = new ArrayList<>(
                List.of("ip", "netns", "exec", String.valueOf(Place.of(0).namespace())));
        if (EMULATED) {
            words.addAll(List.of("tc", "qdisc", now ? "add" : "del", "dev", DEVICE, "root"));
            words.addAll(now ? List.of("netem", "loss", "100%") : List.of());
        } else {
            words.addAll(List.of("ip", "link", "set", "dev", DEVICE, now ? "down" : "up"));
        }
        run(words);
    }

    static void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
    }
}
