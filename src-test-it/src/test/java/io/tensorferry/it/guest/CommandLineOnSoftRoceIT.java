package io.tensorferry.it.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The command line, as it was packed, on Soft-RoCE.
@DeviceTests(kind = "command line", on = On.GUEST)
@Timeout(value = 60, unit = TimeUnit.MINUTES) // the guest's kernel may have to be built
class CommandLineOnSoftRoceIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Path CLI = Guest.MODULE.resolveSibling("cli");
    private static final Path JAR = CLI.resolve("target/tensorferry.jar");

    @BeforeEach
    void theJarAndTheGuestAreThere() {
        assumeTrue(Files.exists(JAR), "the module cli is not built: " + JAR + " is not there");
        Guest.assumeThere();
    }

    @Test
    void devicesSaysWhatIbvDevinfoSaysAndTakesTheRoceDevice() {
        GuestResult result = run("cli-devices", "ibv_devinfo && echo ours: && " + tensorferry("devices"), false);

        assertThat(result.status()).as("%s", result.logTail()).isZero();
        int ours = result.output().indexOf("ours:");
        List<String> theirs = normalised(result.output().subList(0, ours));
        assertThat(theirs).hasSizeGreaterThan(20).contains("hca_id: rxe0", "hca_id: siw0");
        List<String> text = result.output().subList(ours + 1, result.output().size());
        assertThat(normalised(text)).containsSubsequence(theirs);
        assertThat(text)
                .contains(
                        "taken: rxe0 (libibverbs), port 1, GID 1 ::ffff:10.99.0.1 (RoCE v2), MTU 4096",
                        "    siw0 has no RDMA WRITE with immediate (iWARP)",
                        "    soft0 could be used, but rxe0 comes first");
    }

    private static List<String> normalised(List<String> lines) {
        return lines.stream()
                .map(line -> line.replace(" (libibverbs)", "")
                        .replaceAll("\\s+", " ")
                        .strip())
                .filter(line -> !line.isEmpty())
                .toList();
    }

    @Test
    void theIwarpDeviceIsRefusedWithTheReason() {
        GuestResult result = run("cli-iwarp", "RDMA_DEVICE=siw0 " + tensorferry("devices"), false);

        assertThat(result.status()).as("%s", result.logTail()).isOne();
        assertThat(result.output())
                .contains(
                        "taken: nothing; device (RDMA_DEVICE) is siw0, which has no RDMA WRITE with immediate (iWARP)");
    }

    /// As in a container that shares the device, and not the network device below it.
    @Test
    void addressesOfAnotherNetworkNamespaceAreNotTaken() {
        GuestResult result = run(
                "cli-namespace",
                "ip netns add elsewhere && ip netns exec elsewhere " + tensorferry("devices --no-software"),
                false);

        assertThat(result.status()).as("%s", result.logTail()).isOne();
        assertThat(result.output())
                .anySatisfy(line -> assertThat(line)
                        .contains(
                                "rxe0 has no GID on port 1 that can be used",
                                "GID 1 ::ffff:10.99.0.1 (RoCE v2): its network device dummy0 is not in this network"
                                        + " namespace"));
    }

    @Test
    void theWayBetweenTwoHostsIsChecked() {
        GuestResult result = run(
                "cli-check",
                "ip netns exec host2 taskset -c 1 " + tensorferry("serve 10.97.0.2:7471 --once --allow-insecure")
                        + " & server=$!\n"
                        + "until ip netns exec host2 ss -Hltn | grep -q :7471; do sleep 0.05; done\n"
                        + "ip netns exec host1 taskset -c 0 "
                        + tensorferry("check 10.97.0.2:7471 --allow-insecure --sizes=8,64KiB,1MiB")
                        + " && wait $server",
                true);

        assertThat(result.status()).as("%s", result.logTail()).isZero();
        assertThat(normalised(result.output()))
                .contains(
                        "serving checks on 10.97.0.2:7471 with rxe2, once",
                        "GID ::ffff:10.97.0.1 <-> ::ffff:10.97.0.2",
                        "MTU 4096",
                        "device rxe1 port 1",
                        "check of ::ffff:10.97.0.1: 3 sizes, all correct")
                .filteredOn(line -> line.startsWith("1 MiB "))
                .hasSize(2);
    }

    private static GuestResult run(String name, String script, boolean twoHosts) {
        GuestCommand command =
                Guest.command(name, List.of("bash", "-c", script)).limit(LIMIT);
        return (twoHosts ? command.twoHosts() : command).run();
    }

    private static String tensorferry(String arguments) {
        return "env JAVA_HOME=" + System.getProperty("java.home") + " " + CLI.resolve("tensorferry") + " " + arguments;
    }
}
