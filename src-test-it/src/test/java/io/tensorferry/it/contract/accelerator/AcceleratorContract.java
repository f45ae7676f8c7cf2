package io.tensorferry.it.contract.accelerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.DmaBuf;
import io.tensorferry.api.HostPin;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the transport expects of every accelerator.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
abstract class AcceleratorContract {
    private static final int LARGE = 8 << 20;

    private final Arena arena = Arena.ofShared();
    private final List<AutoCloseable> opened = new ArrayList<>();

    /// Under test; the same for all of one test. The subclass closes it.
    abstract Accelerator accelerator();

    /// Lets time go on until `event` is reached. In real time it does so by itself.
    void await(DeviceEvent event) throws InterruptedException {
        event.await();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
        arena.close();
    }

    private <T extends AutoCloseable> T opened(T each) {
        opened.add(each);
        return each;
    }

    private DeviceMemory memory(long bytes) {
        return opened(accelerator().allocate(bytes));
    }

    private DeviceStream stream() {
        return opened(accelerator().openStream());
    }

    /// Pinned, with bytes that count up from `first`.
    private MemorySegment host(int bytes, int first) {
        MemorySegment segment = arena.allocate(bytes, 4096);
        for (int i = 0; i < bytes; i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) (first + i * 31));
        }
        HostPin pin = accelerator().pin(segment);
        opened(pin);
        return segment;
    }

    private void finish(DeviceStream stream) throws InterruptedException {
        try (DeviceEvent event = stream.record()) {
            await(event);
        }
    }

    private static void assertSame(MemorySegment actual, MemorySegment expected) {
        assertThat(actual.mismatch(expected)).as("the first byte that differs").isEqualTo(-1);
    }

    @Test
    void itsMemoryIsNotOfTheHost() {
        assertThat(accelerator().hostAccessible()).isFalse();
        assertThat(accelerator().type()).isEqualTo("GPU");
        assertThat(accelerator().description()).isNotBlank();
    }

    @Test
    void memoryIsAlignedAndApart() {
        DeviceMemory one = memory(1);
        DeviceMemory other = memory(1000);
        assertThat(one.address() % 256).isZero();
        assertThat(other.address() % 256).isZero();
        assertThat(Math.abs(one.address() - other.address())).isGreaterThanOrEqualTo(1);
        assertThat(one.byteSize()).isEqualTo(1);
        assertThat(other.byteSize()).isEqualTo(1000);
        assertThat(other.device()).isSameAs(accelerator());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void noMemoryAtAllIsRefused(long bytes) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> accelerator().allocate(bytes))
                .withMessageContaining(Long.toString(bytes));
    }

    @Test
    void memoryThatItDoesNotHaveIsExhaustion() {
        assertThatThrownBy(() -> accelerator().allocate(1L << 50))
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.RESOURCE_EXHAUSTED, TransportException::code);
        // And nothing is broken by it.
        assertThat(memory(1 << 20).byteSize()).isEqualTo(1 << 20);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 65_537, LARGE})
    void whatIsCopiedThereComesBack(int bytes) throws InterruptedException {
        MemorySegment source = host(bytes, 1);
        MemorySegment target = host(bytes, 2);
        DeviceMemory device = memory(bytes);
        DeviceStream stream = stream();
        stream.copyFromHost(source, device.address());
        stream.copyToHost(device.address(), target);
        finish(stream);
        assertSame(target, source);
    }

    @Test
    void aPartIsCopiedAndNothingAroundIt() throws InterruptedException {
        MemorySegment before = host(4096, 3);
        MemorySegment part = host(100, 77);
        MemorySegment after = host(4096, 0);
        DeviceMemory device = memory(4096);
        DeviceStream stream = stream();
        stream.copyFromHost(before, device.address());
        stream.copyFromHost(part, device.address() + 1000);
        stream.copyToHost(device.address(), after);
        finish(stream);
        assertSame(after.asSlice(0, 1000), before.asSlice(0, 1000));
        assertSame(after.asSlice(1000, 100), part);
        assertSame(after.asSlice(1100), before.asSlice(1100));
    }

    @Test
    void copiesWithinTheDeviceAreInOrder() throws InterruptedException {
        MemorySegment source = host(LARGE, 9);
        MemorySegment target = host(LARGE, 0);
        DeviceMemory one = memory(LARGE);
        DeviceMemory other = memory(LARGE);
        DeviceStream stream = stream();
        stream.copyFromHost(source, one.address());
        stream.copy(one.address(), other.address(), LARGE);
        stream.copyToHost(other.address(), target);
        finish(stream);
        assertSame(target, source);
    }

    @Test
    void anEventIsReachedBehindWhatWasQueuedBeforeIt() throws InterruptedException {
        MemorySegment source = host(LARGE, 5);
        MemorySegment target = host(LARGE, 0);
        DeviceMemory device = memory(LARGE);
        DeviceStream stream = stream();
        stream.copyFromHost(source, device.address());
        stream.copyToHost(device.address(), target);
        DeviceEvent event = opened(stream.record());
        await(event);
        assertThat(event.isReached()).isTrue();
        assertSame(target, source);
    }

    @Test
    void aStreamWaitsForAnEventOfAnother() throws InterruptedException {
        MemorySegment source = host(LARGE, 6);
        MemorySegment target = host(LARGE, 0);
        DeviceMemory device = memory(LARGE);
        DeviceStream writing = stream();
        DeviceStream reading = stream();
        writing.copyFromHost(source, device.address());
        DeviceEvent written = opened(writing.record());
        reading.await(written);
        reading.copyToHost(device.address(), target);
        finish(reading);
        assertSame(target, source);
    }

    @Test
    void aStreamWaitsForAnEventThatIsClosedMeanwhile() throws InterruptedException {
        MemorySegment source = host(LARGE, 7);
        MemorySegment target = host(LARGE, 0);
        DeviceMemory device = memory(LARGE);
        DeviceStream writing = stream();
        DeviceStream reading = stream();
        writing.copyFromHost(source, device.address());
        try (DeviceEvent written = writing.record()) {
            reading.await(written);
        }
        // Another event, which an accelerator may make of the closed one, is not what is waited for.
        finish(stream());
        reading.copyToHost(device.address(), target);
        finish(reading);
        assertSame(target, source);
    }

    @Test
    void aStreamThatIsClosedDoesWhatIsQueued() throws InterruptedException {
        MemorySegment source = host(LARGE, 8);
        MemorySegment target = host(LARGE, 0);
        DeviceMemory device = memory(LARGE);
        DeviceStream stream = stream();
        stream.copyFromHost(source, device.address());
        stream.copyToHost(device.address(), target);
        DeviceEvent done = opened(stream.record());
        stream.close();
        await(done);
        assertSame(target, source);
    }

    @Test
    void nothingIsCopiedOfNothing() throws InterruptedException {
        MemorySegment host = host(64, 4);
        DeviceMemory device = memory(64);
        DeviceStream stream = stream();
        stream.copyFromHost(host.asSlice(0, 0), device.address());
        stream.copy(device.address(), device.address() + 64, 0);
        stream.copyToHost(device.address(), host.asSlice(64, 0));
        finish(stream);
        assertThat(host.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 4);
    }

    @Test
    void anExportIsAFileOrARefusal() {
        DeviceMemory device = memory(1 << 16);
        try (DmaBuf file = accelerator().export(device.address(), 1 << 16)) {
            assertThat(Path.of("/proc/self/fd/" + file.fileDescriptor())).isSymbolicLink();
            assertThat(file.offset()).isNotNegative();
        } catch (TransportException e) {
            assertThat(e.code()).isEqualTo(StatusCode.UNIMPLEMENTED);
        }
    }

    @Test
    void anEventOfAnIdleStreamIsReached() throws InterruptedException {
        DeviceEvent event = opened(stream().record());
        await(event);
        assertThat(event.isReached()).isTrue();
    }

    @Test
    void closingTwiceDoesNothing() throws InterruptedException {
        DeviceMemory device = memory(64);
        DeviceStream stream = stream();
        DeviceEvent event = stream.record();
        await(event);
        event.close();
        event.close();
        stream.close();
        stream.close();
        device.close();
        device.close();
        MemorySegment segment = arena.allocate(64, 64);
        HostPin pin = accelerator().pin(segment);
        pin.close();
        pin.close();
        accelerator().close();
        accelerator().close();
    }

    @Test
    void aFlushIsForThoseWhoNeedOne() {
        if (accelerator().nicWrites() == NicWrites.AFTER_FLUSH) {
            accelerator().flushNicWrites();
        } else {
            assertThatThrownBy(() -> accelerator().flushNicWrites())
                    .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                    .returns(StatusCode.UNIMPLEMENTED, TransportException::code);
        }
    }
}
