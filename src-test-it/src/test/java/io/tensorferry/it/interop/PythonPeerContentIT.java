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

/// Contents in messages, between a worker of this library and the worker in Python: alone, and with their metadata, in
/// both directions, beside contents that are written. On Soft-RoCE in the guest, as [PythonPeerIT].
///
/// Each test exchanges the whole plan, and looks at what both workers counted: that contents came in the way that was
/// meant.
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PythonPeerContentIT {
    private static final List<String> FORMS =
            List.of("landed-carried", "landed-announced", "carrying", "carrying-announced");

    /// All that has room in a slot of 4,096 bytes goes in messages.
    private static final int WHOLE_SLOT = 4096;

    @BeforeAll
    static void whatItNeeds() throws InterruptedException {
        PythonPackages.assumeThere();
        Guest.assumeThere();
    }

    @Test
    void bothFormsGoBothWaysBesideContentsThatAreWritten() throws Exception {
        PeerReport report = new PeerPair("contents", 0).pythonDials().run();

        assertThat(FORMS)
                .allSatisfy(form -> assertThat(report.events(form)).as(form).isPositive());
        for (String written : List.of("landed", "writing", "writing-large")) {
            assertThat(report.events(written)).as(written).isPositive();
        }
        assertBothCountTheSame(report);
    }

    /// Where no channel was lost: what one counts when it sends, the other counts when it comes.
    private static void assertBothCountTheSame(PeerReport report) {
        assertThat(report.statistic("tensorsCarried")).isEqualTo(report.carriedByJava());
        assertThat(report.statistic("reRequests")).isEqualTo(report.events("announced"));
    }

    @ParameterizedTest(name = "Java up to {0} bytes, Python up to {1}")
    @CsvSource({"0, 1024", "1024, 0", "0, 0"})
    void aWorkerThatSendsNoneTakesThoseOfTheOther(int javaBytes, int pythonBytes) throws Exception {
        PeerReport report = new PeerPair("contents-" + javaBytes + "-" + pythonBytes, 1)
                .carried(javaBytes, pythonBytes)
                .python("--role", "answer")
                .run();

        assertSent(report.events("landed-carried"), javaBytes);
        assertSent(report.events("landed-announced"), javaBytes);
        assertSent(report.events("carrying"), pythonBytes);
        assertSent(report.events("carrying-announced"), pythonBytes);
        assertThat(report.written()).isPositive();
        assertBothCountTheSame(report);
    }

    private static void assertSent(long contents, int upTo) {
        if (upTo == 0) {
            assertThat(contents).isZero();
        } else {
            assertThat(contents).isPositive();
        }
    }

    /// A content that has room in a slot, but not with its metadata: it is announced, asked for again, and then comes
    /// in a message.
    @Test
    void aContentThatWasAskedForAgainComesInAMessage() throws Exception {
        PeerReport report = new PeerPair("contents-asked-again", 0)
                .carried(WHOLE_SLOT, WHOLE_SLOT)
                .pythonDials("--verbose")
                .run();

        assertThat(report.python()).contains("received snug/0 step 1, cold, carried: uint8[4064] 4064 bytes");
        assertThat(report.python()).contains("received snug/1 step 3, changed, carried: uint8[2, 2032] 4064 bytes");
        assertThat(report.python())
                .as("what the Java worker asks for again")
                .anyMatch(line -> line.startsWith("<- TENSOR_RE_REQUEST[") && line.endsWith("uint8[4064] 4064 bytes"));
        assertThat(report.events("writing"))
                .as("of up to 1 MiB: the medium tensors in three steps, and the one that grows in the last")
                .isEqualTo(7);
        assertBothCountTheSame(report);
    }

    /// Slots so large that they take what would go over all lanes, and several of them.
    @Test
    void largeSlotsTakeContentsThatWouldGoOverAllLanes() throws Exception {
        PeerReport report = new PeerPair("contents-large-slots", 1)
                .carried(1 << 16, 1 << 16)
                .java("--slot-bytes", "65536", "--ring-slots", "16", "--lanes", "3", "--stripe-bytes", "4096")
                .pythonDials("--slot-bytes", "65536", "--lanes", "3", "--stripe-bytes", "4096", "--verbose")
                .run();

        assertThat(report.python())
                .contains(
                        "received medium/0 step 1, cold, announced: uint8[30000] 30000 bytes",
                        "received medium/0 step 2, warm, carried: uint8[30000] 30000 bytes",
                        "landed over 3 lanes");
        assertThat(report.events("writing"))
                .as("of up to 1 MiB: the one that grows to 400,000 bytes")
                .isEqualTo(1);
        assertBothCountTheSame(report);
    }

    /// With a checksum each content comes with its metadata, or is announced first.
    @Test
    void contentsInMessagesHaveChecksums() throws Exception {
        PeerReport report = new PeerPair("contents-checksums", 0)
                .carried(WHOLE_SLOT, WHOLE_SLOT)
                .java("--validate")
                .pythonDials("--validate")
                .run();

        assertThat(report.python())
                .contains(
                        "received burst/0 step 2, warm, announced: int16[9] 18 bytes",
                        "received snug/0 step 2, warm, carried: uint8[4064] 4064 bytes");
        assertThat(FORMS)
                .allSatisfy(form -> assertThat(report.events(form)).as(form).isPositive());
        assertBothCountTheSame(report);
    }

    /// Moments about contents in messages: one goes out, with its metadata or alone, or comes in; and some in the
    /// middle of going on, which there are for sure where the channel is lost while requests go out.
    @ParameterizedTest(name = "{0}")
    @CsvSource({"contents-python-redials, dial", "contents-both-redial, answer", "contents-java-redials, listen"})
    void losesNoReceiveWhereTheChannelIsLost(String name, String role) throws Exception {
        List<String> moments = List.of(
                "asked:30",
                "replayed:20",
                "carrying-announced:40",
                "landed-announced:60",
                "asked:150",
                "replayed:130",
                "carrying:30",
                "landed-carried:40",
                "carrying-announced:150",
                "landed-announced:180");
        PeerReport report = new PeerPair(name, 0)
                .carried(WHOLE_SLOT, WHOLE_SLOT)
                .python("--role", role, "--verbose", "--lose", String.join(",", moments))
                .run();

        assertThat(report.python())
                .filteredOn(line -> line.startsWith("stops its queue pairs at "))
                .hasSameSizeAs(moments);
        assertThat(report.python())
                .as("a request of the Java worker that goes on")
                .anyMatch(line -> line.startsWith("<- TENSOR_REQUEST[") && line.endsWith(", replay"));
        assertThat(report.statistic("tensorsCarried"))
                .as("contents that were lost were put into messages again")
                .isGreaterThanOrEqualTo(report.carriedByJava());
    }

    @Test
    void losesNoReceiveWithChecksumsWhereTheChannelIsLost() throws Exception {
        PeerReport report = new PeerPair("contents-loss-checksums", 1)
                .java("--validate")
                .pythonDials("--validate", "--lose", "asked:30,replayed:20,carrying-announced:60,landed-announced:140")
                .run();

        assertThat(report.carriedByPython()).isPositive();
        assertThat(report.carriedByJava()).isPositive();
    }
}
