package io.tensorferry.verbs.device.software.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.bindings.MemoryFile;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.SoftwareEnd;
import io.tensorferry.verbs.device.software.connect.InterprocessCarrier;
import io.tensorferry.verbs.device.software.connect.ListenOptions;
import io.tensorferry.verbs.device.software.core.DeviceProfile;
import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.core.SoftwareDevice;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import io.tensorferry.verbs.device.software.loop.DeviceEventLoop;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A requester that polls a READ while the responder is between two steps. The thread of the test has
/// the turn of both devices, so that no other thread polls, and holds back the responder's report of executed requests.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ReadInStepsTest {
    private static final int SELF = (int) ProcessHandle.current().pid();
    private static final int BYTES = 3 * RingFile.READ_BYTES + 3_392;
    private static final AtomicInteger SEED = new AtomicInteger(40);

    private final Station first = Station.open();
    private final Station second = Station.open();
    private final SoftwareEnd one = new SoftwareEnd(first.device, BYTES, 256);
    private final SoftwareEnd other = new SoftwareEnd(second.device, BYTES, 256);
    private final Arena arena = Arena.ofShared();
    private RingFile ring;

    /// A device and its parts.
    private record Station(SharedMemory path, DeviceEventLoop loop, VerbsDevice device) {
        static Station open() {
            var counters = new PayloadCounters();
            var random = new Random(SEED.getAndIncrement());
            var host = (Inet4Address) InetAddress.ofLiteral("127.0.0.1");
            InterprocessCarrier carrier = InterprocessCarrier.listen(
                    new ListenOptions("steps", host, 16, Duration.ofSeconds(5), 16), counters);
            var path = new SharedMemory(carrier.loop(), counters, random, "steps");
            carrier.use(path, true);
            DeviceProfile profile = DeviceProfile.of("steps", 4096, 1 << 30);
            return new Station(path, carrier.loop(), SoftwareDevice.open(profile, carrier, counters, random));
        }
    }

    @BeforeEach
    void connect() throws IOException {
        SoftwareEnd.connect(one, other);
        one.write(0, 16, other);
        one.await(1);
        ring = ringOf(first);
        for (long at = 0; at < BYTES; at++) {
            other.memory.set(ValueLayout.JAVA_BYTE, at, (byte) (at * 7 + at / 256));
        }
    }

    @AfterEach
    void close() {
        one.close();
        other.close();
        first.device.close();
        second.device.close();
        arena.close();
    }

    /// The ring for the device's requests.
    private RingFile ringOf(Station requester) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path path : all) {
                if (Files.isSymbolicLink(path)
                        && Files.readSymbolicLink(path).toString().contains("tensorferry-ring")) {
                    int descriptor = Integer.parseInt(path.getFileName().toString());
                    MemorySegment memory = MemoryFile.open(SELF, descriptor, true, arena);
                    if (memory.get(ValueLayout.JAVA_LONG, 8) == requester.path.number()) {
                        return RingFile.of(new MemoryFile(descriptor, memory));
                    }
                }
            }
        }
        throw new AssertionError("no ring of this device");
    }

    private void inSteps(Runnable steps) {
        first.loop.inTurn(() -> second.loop.inTurn(steps));
    }

    private void post(int reads, long length) {
        for (int i = 0; i < reads; i++) {
            one.read(1 + i, length, other);
        }
        ((SoftwareQueuePair) one.queuePair).service();
    }

    /// The responder executes all requests that it can.
    private void answer(long executed) {
        second.path.serveAll();
        assertThat(ring.executed()).as("requests that the responder executed").isEqualTo(executed);
    }

    /// The requester polls twice.
    private void look() {
        for (int i = 0; i < 3; i++) {
            first.path.serveAll();
            one.polled(0);
        }
    }

    private void assertDone(int reads) {
        assertThat(one.statuses).hasSize(1 + reads).containsOnly(WorkStatus.SUCCESS);
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.RTS);
    }

    private void assertCame(long length) {
        assertThat(one.memory.asSlice(0, length).mismatch(other.memory.asSlice(0, length)))
                .isEqualTo(-1);
    }

    @Test
    void aReadIsDoneWhenThePeerSaysSoAndNotWhenItsDataAreComplete() {
        inSteps(() -> {
            post(1, 4096);
            answer(2);
            ring.setExecuted(1);
            look();
            assertCame(4096);
            assertDone(0);
            ring.setExecuted(2);
            look();
            assertDone(1);
        });
    }

    @Test
    void readsWhoseDataHaveComeAreDoneOneByOneAsThePeerSaysSo() {
        inSteps(() -> {
            post(4, 4096);
            answer(5);
            for (int done = 0; done <= 4; done++) {
                ring.setExecuted(1 + done);
                look();
                assertDone(done);
            }
            assertCame(4096);
        });
    }

    /// A requester that completed the first READ because of its data would see the peer revoke it at the next poll.
    @Test
    void aReadThatGoesOnSurvivesThatTheOneBeforeItIsSaidToBeDoneLate() {
        inSteps(() -> {
            post(1, 4096);
            post(1, BYTES);
            answer(2);
            ring.setExecuted(1);
            look();
            assertDone(0);
            ring.setExecuted(2);
            look();
            assertDone(1);
            for (int rounds = 0; ring.executed() < 3; rounds++) {
                assertThat(rounds).isLessThan(10);
                second.path.serveAll();
                look();
            }
            assertDone(2);
            assertCame(BYTES);
        });
    }

    @Test
    void aReadLongerThanItsStreamIsDoneAfterItsLastByteAndThePeersWord() {
        inSteps(() -> {
            post(1, BYTES);
            int rounds = 0;
            while (ring.readTail() < BYTES) {
                assertThat(rounds++).isLessThan(10);
                answer(ring.readTail() + RingFile.READ_BYTES < BYTES ? 1 : 2);
                ring.setExecuted(1);
                look();
                assertDone(0);
            }
            assertThat(rounds).isEqualTo(BYTES / RingFile.READ_BYTES + 1);
            assertCame(BYTES);
            ring.setExecuted(2);
            look();
            assertDone(1);
        });
    }
}
