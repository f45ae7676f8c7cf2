package io.tensorferry.it.process;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/// The same on this machine, over the software device, between two network namespaces that it makes. Takes root and
/// `ip`; where that is not given, it is skipped.
@DeviceTests(kind = "process", on = On.SOFTWARE)
class CutNetworkIT extends CutHosts {
    private static final String ID = Long.toString(ProcessHandle.current().pid(), Character.MAX_RADIX);
    private static final String ONE = "tf1-" + ID;
    private static final String OTHER = "tf2-" + ID;
    private static final String LINK = "eth1";
    private static final Map<String, String> PLACES =
            Map.of("it.netns", ONE + "," + OTHER, "rdma.host", "10.97.1.1,10.97.1.2");

    @BeforeAll
    static void makeNamespaces() throws Exception {
        assumeTrue(works("ip", "netns", "add", ONE), "no network namespace can be made: that takes root and `ip`");
        CutHosts.run(List.of("ip", "netns", "add", OTHER));
        CutHosts.run(
                List.of("ip", "link", "add", LINK, "netns", ONE, "type", "veth", "peer", "name", LINK, "netns", OTHER));
        for (String place : List.of(ONE, OTHER)) {
            String address = place.equals(ONE) ? "10.97.1.1/24" : "10.97.1.2/24";
            CutHosts.run(List.of("ip", "-n", place, "address", "add", address, "dev", LINK));
            CutHosts.run(List.of("ip", "-n", place, "link", "set", "lo", "up"));
            CutHosts.run(List.of("ip", "-n", place, "link", "set", LINK, "up"));
        }
        PLACES.forEach(System::setProperty);
    }

    @AfterAll
    static void removeNamespaces() throws Exception {
        PLACES.keySet().forEach(System::clearProperty);
        for (String place : List.of(ONE, OTHER)) {
            works("ip", "netns", "del", place);
        }
    }

    private static boolean works(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException _) {
            return false;
        }
    }
}
