package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `soft0` between two processes, and what is left of it when one is killed.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SoftwareDeviceProcessTest {
    private static final long SEED = 99;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private EchoProcess.OneDevice fixture;
    private Endpoint end;
    private Process process;
    private long peerAddress;
    private int peerKey;
    private final SendWorkRequest request = new SendWorkRequest();

    @BeforeEach
    void startPeer() throws IOException {
        fixture = new EchoProcess.OneDevice(new SoftwareProvider());
        var settings = new Endpoint.Settings();
        settings.bytes = EchoProcess.BYTES;
        end = new Endpoint(fixture, fixture.first(), settings);
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        EchoProcess.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        String peer = out.readLine();
        var in = process.outputWriter(StandardCharsets.UTF_8);
        in.write(EchoProcess.describe(end) + "\n");
        in.flush();
        EchoProcess.connect(end, peer);
        assertThat(out.readLine()).isEqualTo("ready");
        long[] numbers = EchoProcess.numbers(peer);
        peerAddress = numbers[3];
        peerKey = (int) numbers[4];
    }

    @AfterEach
    void end() throws InterruptedException {
        process.destroyForcibly().waitFor();
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
                    round, end.region.address(), bytes, end.region.localKey(), peerAddress, peerKey, bytes));
            int answers = 2 * (round + 1);
            assertThat(fixture.await(() -> end.polled(answers), LIMIT))
                    .as("answer in round %d", round)
                    .isTrue();
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
    void aKilledPeerEndsWhatIsOutstanding() {
        for (int i = 0; i < 32; i++) {
            end.queuePair.postSend(request.write(
                    i, end.region.address(), EchoProcess.BYTES, end.region.localKey(), peerAddress, peerKey));
        }
        assertThat(fixture.await(() -> end.polled(2), LIMIT)).isTrue();
        process.destroyForcibly();
        assertThat(fixture.await(() -> end.polled(32), Duration.ofSeconds(5))).isTrue();
        long successes = end.completed.stream()
                .filter(completion -> completion.status() == WorkStatus.SUCCESS)
                .count();
        assertThat(successes).isLessThan(32);
        assertThat(end.completed.get((int) successes).status()).isEqualTo(WorkStatus.RETRY_EXC_ERR);
        assertThat(end.completed.stream().skip(successes + 1))
                .allMatch(completion -> completion.status() == WorkStatus.WR_FLUSH_ERR);
    }

    @Test
    void anIdleQueuePairNoticesAtItsNextRequest() throws InterruptedException {
        process.destroyForcibly().waitFor();
        end.queuePair.postSend(request.write(1, end.region.address(), 8, end.region.localKey(), peerAddress, peerKey));
        assertThat(fixture.await(() -> end.polled(1), Duration.ofSeconds(5))).isTrue();
        assertThat(end.completed.getFirst().status()).isEqualTo(WorkStatus.RETRY_EXC_ERR);
    }
}
