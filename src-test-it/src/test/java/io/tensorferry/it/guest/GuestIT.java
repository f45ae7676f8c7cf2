package io.tensorferry.it.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The guest itself, by programs that nobody here wrote.
@Timeout(value = 60, unit = TimeUnit.MINUTES) // the guest's kernel may have to be built
class GuestIT {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @BeforeEach
    void theGuestIsThere() {
        Guest.assumeThere();
    }

    /// What Java itself sees there.
    static final class Hello {
        public static void main(String[] arguments) {
            System.out.println(
                    System.getProperty("os.version") + " " + Runtime.version().feature());
        }
    }

    @Test
    void hasARoceAndAnIwarpDevice() {
        assertThat(bash("devices", "ibv_devinfo").output())
                .filteredOn(line -> line.contains("hca_id") || line.contains("transport") || line.contains("state"))
                .extracting(line -> line.replaceAll("\\s+", " ").trim())
                .containsExactly(
                        "hca_id: rxe0",
                        "transport: InfiniBand (0)",
                        "state: PORT_ACTIVE (4)",
                        "hca_id: siw0",
                        "transport: iWARP (1)",
                        "state: PORT_ACTIVE (4)");
    }

    @Test
    void statusOutputAndErrorsComeOutOfIt() {
        GuestResult result = bash("streams", "echo to the output; echo to the errors >&2; exit 7");
        assertThat(result.status()).isEqualTo(7);
        assertThat(result.output()).containsExactly("to the output");
        assertThat(result.logTail()).contains("to the errors").doesNotContain("to the output");
    }

    @Test
    void aCommandThatTakesTooLongIsEnded() {
        assertThat(Guest.command("late", List.of("sleep", "600"))
                        .limit(Duration.ofSeconds(1))
                        .run()
                        .status())
                .isEqualTo(124);
    }

    @Test
    void seesTheHostsFilesAndWritesOnlyToTheProject(@TempDir Path hidden) throws Exception {
        Path written = Path.of("target/guest/written");
        Files.deleteIfExists(written);
        GuestResult result =
                bash("files", "touch /etc/tensorferry; ls " + hidden + "; echo from the guest >" + written);
        assertThat(result.logTail()).contains("Read-only file system").contains("No such file or directory");
        assertThat(Files.readString(written)).isEqualTo("from the guest\n");
    }

    @Test
    void runsJava() {
        // It does not start where it cannot use the cache of classes.
        GuestResult result = Guest.command("java", Guest.java(Hello.class, List.of("-XX:AOTMode=on"), List.of()))
                .limit(LIMIT)
                .run();
        assertThat(result.output()).as("%s", result.logTail()).hasSize(1);
        assertThat(result.output().getFirst())
                .matches("\\d+\\.\\d+.*-rdma-guest " + Runtime.version().feature());
    }

    @ParameterizedTest
    @ValueSource(ints = {1024, 4096})
    void aWriteCrossesBetweenTwoHostsWithEitherMtu(int mtu) {
        GuestResult result = Guest.command("mtu-" + mtu, bash(writeBetweenHosts("")))
                .twoHosts()
                .mtu(mtu)
                .limit(LIMIT)
                .run();
        assertThat(result.status()).as("%s", result.logTail()).isZero();
        assertThat(result.output()).anyMatch(line -> line.matches("\\s*Mtu\\s*: " + mtu + "\\[B]"));
    }

    @Test
    void eachOfTwoHostsHasADeviceOfItsOwnAlone() {
        GuestResult result = Guest.command(
                        "hosts",
                        bash("for h in host1 host2; do ip netns exec $h ls /sys/class/infiniband;"
                                + " ip netns exec $h rdma link; done"))
                .twoHosts()
                .limit(LIMIT)
                .run();
        assertThat(result.output())
                .extracting(String::trim)
                .containsExactly(
                        "rxe1",
                        "link rxe1/1 state ACTIVE physical_state LINK_UP netdev eth1",
                        "rxe2",
                        "link rxe2/1 state ACTIVE physical_state LINK_UP netdev eth2");
    }

    @Test
    void packetsAreLostBetweenTwoHostsWhereThatIsWanted() {
        GuestResult result = Guest.command("loss", bash(writeBetweenHosts("tc -s qdisc show dev eth1")))
                .twoHosts()
                .netem("loss 1%")
                .limit(LIMIT)
                .run();
        assertThat(result.status()).as("%s", result.logTail()).isZero();
        String dropped = result.output().stream()
                .filter(line -> line.contains("dropped"))
                .map(line -> line.replaceAll(".*dropped (\\d+).*", "$1"))
                .findFirst()
                .orElseThrow();
        // Of about 1,600 packets: 100 writes of 64 KiB.
        assertThat(Integer.parseInt(dropped)).isPositive();
    }

    /// A server on the second host, a client on the first that tries until it is there, and then `afterwards` there.
    private static String writeBetweenHosts(String afterwards) {
        String program = "ib_write_bw -x 1 -F -s 65536 -n 100 ";
        return "ip netns exec host2 taskset -c 1 " + program + "-d rxe2 >/dev/null & server=$!\n"
                + "until ip netns exec host2 ss -Hltn | grep -q :18515; do sleep 0.05; done\n"
                + "ip netns exec host1 " + program + "-d rxe1 10.97.0.2 && wait $server || exit 1\n"
                + (afterwards.isEmpty() ? "" : "ip netns exec host1 " + afterwards);
    }

    private static GuestResult bash(String name, String script) {
        return Guest.command(name, bash(script)).limit(LIMIT).run();
    }

    private static List<String> bash(String script) {
        return List.of("bash", "-c", script);
    }
}
