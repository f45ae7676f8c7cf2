package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.process.ChildJvm;
import io.tensorferry.it.process.Place;
import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkStatus;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A device between two processes, and what is left of it when one is killed.
@DeviceTests(kind = "process", on = On.NAMED_OR_SOFTWARE)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DeviceProcessTest {
    private static final long SEED = 99;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private OpenedDevices fixture;
    private Endpoint end;
    private ChildJvm process;
    private EchoProcess.Peer peer;
    private final SendWorkRequest request = new SendWorkRequest();

    @BeforeEach
    void startPeer() throws InterruptedException {
        fixture = OpenedDevices.one(Place.of(0));
        end = new Endpoint(fixture, fixture.first(), EchoProcess.settings());
        process = ChildJvm.of(EchoProcess.class).place(EchoProcess.PLACE).start();
        peer = EchoProcess.Peer.parse(process.awaitLine(EchoProcess.Peer.START, LIMIT));
        process.send(EchoProcess.Peer.of(end).toString());
        end.connect(peer.queuePair());
        process.awaitLine("READY", LIMIT);
    }

    @AfterEach
    void end() {
        if (process != null) {
            process.close();
        }
        end.close();
        fixture.close();
    }

    @Test
    void payloadArrivesWhole() {
        var random = new Random(SEED);
        for (int round = 0; round < 100; round++) {
            int bytes = random.nextInt(1 << random.nextInt(25));
            DeviceContract.fill(end.memory.asSlice(0, bytes), SEED + round);
            end.queuePair.postReceive(1000);
            end.queuePair.postSend(request.writeWithImmediate(
                    round,
                    end.region.address(),
                    bytes,
                    end.region.localKey(),
                    peer.memoryAddress(),
                    peer.remoteKey(),
                    bytes));
            int answers = 2 * (round + 1);
            assertThat(fixture.await(() -> end.polled(answers), LIMIT))
                    .as("answer in round %d", round)
                    .isTrue();
            assertThat(end.completed).extracting(Completion::status).containsOnly(WorkStatus.SUCCESS);
            int checksum = end.completed.stream()
                    .skip(answers - 2)
                    .filter(Completion::hasImmediate)
                    .findFirst()
                    .orElseThrow()
                    .immediate();
            assertThat(checksum)
                    .as("checksum of %d bytes, seed %d", bytes, SEED)
                    .isEqualTo(EchoProcess.checksum(end, bytes));
        }
    }

    @Test
    void aKilledPeerEndsWhatIsOutstanding() throws InterruptedException {
        for (int i = 0; i < 32; i++) {
            end.queuePair.postSend(request.write(
                    i,
                    end.region.address(),
                    EchoProcess.BYTES,
                    end.region.localKey(),
                    peer.memoryAddress(),
                    peer.remoteKey()));
        }
        assertThat(fixture.await(() -> end.polled(2), LIMIT)).isTrue();
        process.kill();
        assertThat(fixture.await(() -> end.polled(32), Duration.ofSeconds(5))).isTrue();
        long successes = end.completed.stream()
                .filter(completion -> completion.status() == WorkStatus.SUCCESS)
                .count();
        assertThat(successes).isLessThan(32);
        // What a dying process has is taken down one after the other: it is asked for memory that is gone, if that
        // comes before the queue pair.
        assertThat(end.completed.get((int) successes).status())
                .isIn(WorkStatus.RETRY_EXC_ERR, WorkStatus.REM_ACCESS_ERR);
        assertThat(end.completed.stream().skip(successes + 1))
                .allMatch(completion -> completion.status() == WorkStatus.WR_FLUSH_ERR);
    }

    @Test
    void anIdleQueuePairNoticesAtItsNextRequest() throws InterruptedException {
        process.kill();
        end.queuePair.postSend(request.write(
                1, end.region.address(), 8, end.region.localKey(), peer.memoryAddress(), peer.remoteKey()));
        assertThat(fixture.await(() -> end.polled(1), Duration.ofSeconds(5))).isTrue();
        assertThat(end.completed.getFirst().status()).isEqualTo(WorkStatus.RETRY_EXC_ERR);
    }
}
