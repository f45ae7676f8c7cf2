package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.verbs.device.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/// What the contracts share: two devices, an endpoint on each, and waiting.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
abstract class DeviceContract {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    DevicePairFixture fixture;
    Endpoint one;
    Endpoint other;

    /// Opens two devices that reach each other.
    abstract DevicePairFixture open();

    @BeforeEach
    void openDevices() {
        fixture = open();
    }

    @AfterEach
    void closeDevices() {
        if (one != null) {
            one.close();
        }
        if (other != null) {
            other.close();
        }
        fixture.close();
    }

    /// Makes both endpoints, with what `change` changes on both, without connecting them.
    void makeEndpoints(Consumer<Endpoint.Settings> change) {
        makeEndpoints(change, change);
    }

    void makeEndpoints(Consumer<Endpoint.Settings> changeOne, Consumer<Endpoint.Settings> changeOther) {
        var settings = new Endpoint.Settings();
        changeOne.accept(settings);
        one = new Endpoint(fixture, fixture.first(), settings);
        settings = new Endpoint.Settings();
        changeOther.accept(settings);
        other = new Endpoint(fixture, fixture.second(), settings);
    }

    void connect() {
        connect(settings -> {});
    }

    void connect(Consumer<Endpoint.Settings> change) {
        connect(change, change);
    }

    void connect(Consumer<Endpoint.Settings> changeOne, Consumer<Endpoint.Settings> changeOther) {
        makeEndpoints(changeOne, changeOther);
        Endpoint.connect(one, other);
    }

    void await(String what, BooleanSupplier condition) {
        assertThat(fixture.await(condition, LIMIT)).as(what).isTrue();
    }

    void awaitCompletions(Endpoint endpoint, int count) {
        boolean came = fixture.await(() -> endpoint.polled(count), LIMIT);
        assertThat(came)
                .as("%d completions, but there are %s", count, endpoint.completed)
                .isTrue();
    }

    /// The only completion so far.
    Completion onlyCompletion(Endpoint endpoint) {
        awaitCompletions(endpoint, 1);
        assertThat(endpoint.completed).hasSize(1);
        return endpoint.completed.getFirst();
    }

    void assertFailed(Completion completion, Failure failure) {
        assertThat(completion.status()).as("%s", failure).isIn(failure.statuses(fixture.isSoftRoce()));
    }

    static void fill(MemorySegment memory, long seed) {
        var random = new SplittableRandom(seed);
        long at = 0;
        for (; at + 8 <= memory.byteSize(); at += 8) {
            memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, random.nextLong());
        }
        for (; at < memory.byteSize(); at++) {
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
        }
    }

    static void assertSame(MemorySegment actual, MemorySegment expected) {
        assertThat(actual.byteSize()).isEqualTo(expected.byteSize());
        assertThat(actual.mismatch(expected))
                .as("offset of the first byte that differs")
                .isEqualTo(-1);
    }

    static void assertErrno(int errno, ThrowingCallable call) {
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(call)
                .satisfies(failure ->
                        assertThat(failure.errno()).as(failure.getMessage()).isEqualTo(errno));
    }
}
