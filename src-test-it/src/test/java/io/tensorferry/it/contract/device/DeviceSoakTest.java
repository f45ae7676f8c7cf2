package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.process.Place;
import io.tensorferry.it.soak.Holdings;
import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.WorkStatus;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Devices are opened, connected, used and closed, `-Dsoak.cycles` times, and nothing is left of them: not in the
/// kernel, and not in this process.
@DeviceTests(kind = "soak", on = On.NAMED_OR_SOFTWARE)
@Timeout(value = 3, unit = TimeUnit.HOURS)
class DeviceSoakTest {
    private static final Place HERE = Place.of(0);
    private static final int CYCLES = Integer.getInteger("soak.cycles", 20);
    /// Enough cycles to create everything that is created only once.
    private static final int FIRST_CYCLES = 8;
    private static final int WRITES = 16;
    private static final int BYTES = 4096;
    private static final Duration QUIET = Duration.ofSeconds(1);
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Test
    void nothingIsLeftOfDevicesThatCameAndWent() throws InterruptedException {
        cycles(FIRST_CYCLES);
        Holdings before = Holdings.atRest(HERE.device(), QUIET, LIMIT);
        cycles(CYCLES);
        assertThat(Holdings.await(before, () -> Holdings.now(HERE.device()), LIMIT))
                .as("after %d cycles", CYCLES)
                .isEqualTo(before);
    }

    private static void cycles(int count) {
        for (int cycle = 0; cycle < count; cycle++) {
            OpenedDevices fixture = OpenedDevices.two(HERE);
            try (var one = new Endpoint(fixture, fixture.first(), new Endpoint.Settings());
                    var other = new Endpoint(fixture, fixture.second(), new Endpoint.Settings())) {
                Endpoint.connect(one, other);
                switch (cycle % 4) {
                    case 0 -> transfer(fixture, one, other);
                    case 1 -> breakOff(fixture, one, other);
                    case 2 -> failAtThePeer(fixture, one, other);
                    default -> postAndLeave(one, other);
                }
            }
            fixture.close();
        }
    }

    /// Both ends write, and wait for all of it asleep.
    private static void transfer(OpenedDevices fixture, Endpoint one, Endpoint other) {
        DeviceContract.fill(one.memory, 1);
        for (int i = 0; i < WRITES; i++) {
            other.receive(i, 0, 0);
            one.completions.requestNotification();
            one.writeWithImmediate(i, BYTES, BYTES, other, BYTES, i);
            int count = i + 1;
            if (!one.polled(count)) {
                one.channel.await(LIMIT.toNanos());
            }
            assertCompletions(fixture, one, count);
        }
        assertCompletions(fixture, other, WRITES);
        assertThat(one.completed).extracting(Completion::status).containsOnly(WorkStatus.SUCCESS);
        DeviceContract.assertSame(other.memory.asSlice(BYTES, BYTES), one.memory.asSlice(BYTES, BYTES));
    }

    /// The queue pair is told to fail while writes are under way.
    private static void breakOff(OpenedDevices fixture, Endpoint one, Endpoint other) {
        for (int i = 0; i < WRITES; i++) {
            one.write(i, 0, BYTES, other, 0);
        }
        one.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERR));
        assertCompletions(fixture, one, WRITES);
    }

    /// The memory that is written to is no longer registered.
    private static void failAtThePeer(OpenedDevices fixture, Endpoint one, Endpoint other) {
        other.region.close();
        for (int i = 0; i < WRITES; i++) {
            one.write(i, 0, BYTES, other, 0);
        }
        assertCompletions(fixture, one, WRITES);
        assertThat(one.completed.getFirst().status()).isNotEqualTo(WorkStatus.SUCCESS);
    }

    /// Closes everything while writes are under way and no completion has been polled.
    private static void postAndLeave(Endpoint one, Endpoint other) {
        for (int i = 0; i < WRITES; i++) {
            one.write(i, 0, BYTES, other, 0);
            other.write(i, 0, BYTES, one, 0);
        }
    }

    private static void assertCompletions(OpenedDevices fixture, Endpoint end, int count) {
        assertThat(fixture.await(() -> end.polled(count), LIMIT))
                .as("%d completions, but there are %s", count, end.completed)
                .isTrue();
    }
}
