package io.tensorferry.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// The two GPUs of the fake driver, opened for each test, and the check that the test has left nothing behind.
final class FakeGpus implements BeforeEachCallback, AfterEachCallback {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private Arena arena = Arena.ofShared();
    private CudaAccelerator first;
    private CudaAccelerator second;

    @Override
    public void beforeEach(ExtensionContext context) {
        driver().reset();
        arena = Arena.ofShared();
        first = CudaDevices.open(0);
        second = CudaDevices.open(1);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (first == null) {
            return;
        }
        driver().reset();
        while (!open.isEmpty()) {
            open.pop().close();
        }
        first.close();
        second.close();
        arena.close();
        assertThat(driver().count(FakeDriver.Count.ALLOCATIONS)).isZero();
        assertThat(driver().count(FakeDriver.Count.REGISTRATIONS)).isZero();
        assertThat(driver().count(FakeDriver.Count.STREAMS)).isZero();
        assertThat(driver().count(FakeDriver.Count.EVENTS)).isZero();
        assertThat(driver().count(FakeDriver.Count.CONTEXTS)).isZero();
    }

    FakeDriver driver() {
        return FakeDriver.load();
    }

    CudaAccelerator first() {
        return first;
    }

    CudaAccelerator second() {
        return second;
    }

    /// Is closed at the end of the test, before the GPUs.
    <T extends AutoCloseable> T closing(T resource) {
        open.push(resource);
        return resource;
    }

    /// Host memory, which lives as long as the test.
    MemorySegment host(long bytes) {
        return arena.allocate(bytes, 64);
    }

    /// Host memory that both GPUs know.
    MemorySegment pinned(long bytes) {
        MemorySegment memory = host(bytes);
        closing(first.pin(memory));
        return memory;
    }

    /// As [#pinned(long)], with bytes that differ.
    MemorySegment pattern(long bytes, int seed) {
        MemorySegment memory = pinned(bytes);
        for (long i = 0; i < bytes; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (seed + 31 * i));
        }
        return memory;
    }
}
