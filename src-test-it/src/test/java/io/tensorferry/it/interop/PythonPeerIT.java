package io.tensorferry.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.guest.Guest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A worker of this library exchanges tensors with a worker that was written in Python from `docs/protocol.md` alone,
/// in both directions, on Soft-RoCE in the guest: so the page is complete, and true.
///
/// Each test exchanges the whole plan: most element types, all ways of a request, an abort, a request that is given
/// up.
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PythonPeerIT {
    @BeforeAll
    static void whatItNeeds() throws InterruptedException {
        PythonPackages.assumeThere();
        Guest.assumeThere();
    }

    /// The examples of the page, and its rules of credits, as the Python worker has them; without a device.
    @Test
    void thePythonWorkerPassesItsOwnTests() throws Exception {
        assertThat(PythonPackages.unitTests("interop/python")).endsWith("OK\n");
    }

    @Test
    void answersAnOfferOfThePythonWorker() throws Exception {
        List<String> python = new PeerPair("python-dials", 0)
                .pythonDials("--verbose", "--idle", "2.5")
                .run()
                .python();

        assertThat(python).anyMatch(line -> line.startsWith("channel ") && line.contains(", dialled, "));
        assertThat(python).noneMatch(line -> line.contains(", answered, "));
        assertThat(python).contains("refused as it must be, given up: (1, 'given up')");
        assertSawEveryWayOfARequest(python);
        assertThat(python).filteredOn("<- RESUMED"::equals).hasSize(1);
        assertThat(python).as("of a silence of 2.5 s").contains("<- HEARTBEAT");
    }

    /// Cold, warm and changed in both directions: the Python worker prints how its own requests went and, being
    /// verbose, each message of the Java worker.
    private static void assertSawEveryWayOfARequest(List<String> python) {
        for (String course : List.of("cold", "warm", "changed")) {
            assertThat(python).anyMatch(line -> line.startsWith("received ") && line.contains(", " + course + ", "));
        }
        for (String type : List.of("META_DATA_RESPONSE", "TENSOR_REQUEST", "TENSOR_RE_REQUEST", "ERROR_STATUS")) {
            assertThat(python).anyMatch(line -> line.startsWith("<- " + type + "["));
        }
        assertThat(python).anyMatch(line -> line.startsWith("<- ERROR_STATUS[") && line.contains(" to sender: 1 "));
    }

    @Test
    void dialsThePythonWorker() throws Exception {
        List<String> python =
                new PeerPair("java-dials", 0).python("--role", "answer").run().python();

        assertThat(python).anyMatch(line -> line.startsWith("channel ") && line.contains(", answered, "));
    }

    /// Which of the two dials first is open; that they end with one channel is not.
    @Test
    void findsOneChannelWhereBothMayDial() throws Exception {
        List<String> python =
                new PeerPair("both-dial", 1).python("--role", "dial").run().python();

        assertThat(python)
                .filteredOn(line -> line.startsWith("channel ") && line.contains("Limits("))
                .hasSize(1);
    }

    /// Credits run out all the time, contents are cut into pieces, and each end has something that it does not use.
    @Test
    void usesTheSmallerOfWhatBothState() throws Exception {
        List<String> python = new PeerPair("limits", 0)
                .java("--lanes", "4", "--ring-slots", "64")
                .python(("--role answer --ring-slots 16 --slot-bytes 8192 --receive-depth 32 --lanes 3 --mtu 1024"
                                + " --max-message-bytes 100000")
                        .split(" "))
                .run()
                .python();

        assertThat(python)
                .anyMatch(line -> line.endsWith("Limits(lanes=3, ring_slots=16, slot_bytes=4096, receive_depth=32,"
                        + " mtu=1024, max_message_bytes=100000, stripe_bytes=1048576)"));
    }

    /// Each end cuts a content into parts of its own choice.
    @Test
    void spreadsLargeTensorsOverAllLanes() throws Exception {
        List<String> python = new PeerPair("stripes", 0)
                .java("--lanes", "3", "--stripe-bytes", "20000")
                .pythonDials("--lanes", "4", "--stripe-bytes", "30000", "--verbose")
                .run()
                .python();

        assertThat(python).anyMatch(line -> line.contains("lanes=3") && line.contains("stripe_bytes=30000"));
        assertThat(python).contains("landed over 3 lanes");
    }

    @Test
    void exchangesChecksums() throws Exception {
        new PeerPair("checksums", 0)
                .java("--validate")
                .pythonDials("--validate")
                .run();
    }

    @Test
    void servesThePythonWorkerAgainAfterItWasRestarted() throws Exception {
        new PeerPair("restart", 0).pythonDials().pythonDials().run();
    }

    /// Moments in the middle of a request, as the Python worker sees it: a request of its own goes out, one comes in, a
    /// tensor is announced, asked for again, written, received; and two in the middle of going on. All contents are
    /// written; [PythonPeerContentIT] has those in messages.
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "python-redials, dial",
        "both-redial, answer",
        // The Java worker has to find out by itself, and within the reconnect timeout.
        "java-redials, listen"
    })
    void losesNoReceiveWhereTheChannelIsLost(String name, String role) throws Exception {
        List<String> moments = List.of(
                "asked:30",
                "announced:60",
                "asked-again:90",
                "requested:160",
                "writing:130",
                "writing-large:2",
                "landed:150",
                "replayed:20",
                "replayed:90",
                "landed:330");
        List<String> python = new PeerPair(name, 0)
                .carried(0, 0)
                .java("--lanes", "2", "--stripe-bytes", "65536")
                .python("--role", role, "--lanes", "2", "--verbose", "--lose", String.join(",", moments))
                .run()
                .python();

        assertThat(python)
                .filteredOn(line -> line.startsWith("stops its queue pairs at "))
                .hasSameSizeAs(moments);
        assertThat(python)
                .as("a request of the Java worker that goes on")
                .anyMatch(line -> line.startsWith("<- TENSOR_REQUEST[") && line.endsWith(", replay"));
    }

    @Test
    void losesNoReceiveWithChecksumsWhereTheChannelIsLost() throws Exception {
        new PeerPair("loss-checksums", 1)
                .carried(0, 0)
                .java("--validate")
                .pythonDials("--validate", "--lose", "announced:30,asked-again:140,writing:150,landed:200")
                .run();
    }

    @Test
    void exchangesEverythingBetweenTwoHostsThatLosePackets() throws Exception {
        new PeerPair("loss", 1).twoHosts("loss 1%").python("--role", "answer").run();
    }
}
