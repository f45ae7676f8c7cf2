package io.tensorferry.verbs.accelerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.choice.DeviceChoice;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// An accelerator unit in real time, with the thread of a server.
@Timeout(60)
class AcceleratorUnitTest {
    private final AcceleratorTime time = AcceleratorTime.real();
    private final SimulatedAccelerator device =
            new SimulatedAccelerator(0, time, 3, SimulatedAcceleratorOptions.defaults());
    private final ProtectionDomain domain = DeviceChoice.choose(
                    RdmaConfig.builder().build(), List.of(new SimulatedFabric(1).provider("node")))
            .device()
            .allocateProtectionDomain();
    private final RegisteredMemory memory = new RegisteredMemory(domain, MemoryOptions.defaults());
    private final ExecutorService loop = Executors.newSingleThreadExecutor();
    private AcceleratorUnit unit;

    @BeforeEach
    void open() {
        var options = AcceleratorOptions.defaults().withPieces(4096, 2).withProxyBytes(64 << 10);
        unit = AcceleratorUnit.open(device, memory, options, loop, Runnable::run, AcceleratorUnit.ownThread(device));
    }

    @AfterEach
    void nothingIsLeft() {
        memory.close();
        loop.shutdown();
        assertThat(device.leftOver()).isEmpty();
        assertThat(device.mistakes()).isEmpty();
        device.close();
        time.close();
        domain.close();
    }

    private Proxy proxy(ProxyPool pool, long bytes) {
        var future = new CompletableFuture<Proxy>();
        loop.execute(() -> pool.acquire(bytes, "peer", new ProxyWaiter() {
            @Override
            public void onProxy(Proxy proxy) {
                future.complete(proxy);
            }

            @Override
            public void onNoProxy(TransportException cause) {
                future.completeExceptionally(cause);
            }
        }));
        return future.join();
    }

    private void close(Proxy proxy) {
        CompletableFuture.runAsync(proxy::close, loop).join();
    }

    @Test
    void aContentGoesThroughTheProxiesOfBothWays() throws Exception {
        try (Tensor tensor = unit.allocator().allocate(DataType.INT32, Shape.of(1000))) {
            assertThat(tensor.device()).isSameAs(device);
            Proxy received = proxy(unit.receiveProxies(), tensor.byteSize());
            received.segment().fill((byte) 7);
            var in = new RecordingTask();
            unit.copies().fromHost(received.segment(), tensor.address(), in);
            in.awaitEnd();
            assertThat(in.isDone()).isTrue();

            Proxy sent = proxy(unit.sendProxies(), tensor.byteSize());
            var out = new RecordingTask();
            unit.copies().toHost(tensor.address(), sent.segment(), out);
            out.awaitEnd();
            assertThat(sent.segment().mismatch(received.segment())).isEqualTo(-1);

            AcceleratorStatistics now = unit.statistics();
            assertThat(now)
                    .isEqualTo(new AcceleratorStatistics(
                            "GPU:0", 4000, 4000, 4000, 4000, 8000, now.proxyWaits(), 0, 4032, 0, 0, now.direct()));
            close(received);
            close(sent);
        }
        assertThat(unit.statistics().deviceBytesInUse()).isZero();
        assertThat(unit.statistics().sendProxyBytes()).isZero();
    }

    /// Otherwise two workers that send to each other would each wait for the other's proxies.
    @Test
    void whatIsReceivedLeavesTheProxiesOfWhatIsSent() {
        var received = new ArrayList<Proxy>();
        received.add(proxy(unit.receiveProxies(), 32 << 10));
        Proxy sent = proxy(unit.sendProxies(), 32 << 10);
        received.add(sent);
        received.forEach(this::close);
    }

    @Test
    void manyCopiesOfManyThreadsAllEnd() throws Exception {
        Proxy proxy = proxy(unit.sendProxies(), 4096);
        try (Tensor tensor = unit.allocator().allocate(DataType.UINT8, Shape.of(4096));
                var threads = Executors.newFixedThreadPool(4)) {
            var tasks = new ArrayList<RecordingTask>();
            for (int i = 0; i < 400; i++) {
                var task = new RecordingTask();
                tasks.add(task);
                threads.execute(() -> unit.copies().toHost(tensor.address(), proxy.segment(), task));
            }
            for (RecordingTask task : tasks) {
                task.awaitEnd();
                assertThat(task.isDone()).isTrue();
            }
        }
        close(proxy);
        assertThat(unit.statistics().bytesToHost()).isEqualTo(400L * 4096);
    }

    @Test
    void aThreadThatSleepsIsWoken() throws Exception {
        Proxy proxy = proxy(unit.sendProxies(), 64);
        try (Tensor tensor = unit.allocator().allocate(DataType.UINT8, Shape.of(64))) {
            for (int i = 0; i < 200; i++) {
                var task = new RecordingTask();
                unit.copies().toHost(tensor.address(), proxy.segment(), task);
                task.awaitEnd();
            }
        }
        close(proxy);
    }

    @Test
    void tensorsOfEverySizeAreOfPooledMemory() {
        try (Tensor empty = unit.allocator().allocate(DataType.FLOAT, Shape.of(0));
                Tensor one = unit.allocator().allocate(DataType.FLOAT, Shape.of(1));
                Tensor other = unit.allocator().allocate(DataType.FLOAT, Shape.of(1))) {
            assertThat(empty.address()).isZero();
            assertThat(one.address()).isNotEqualTo(other.address()).isGreaterThan(1L << 59);
            assertThat(device.bytesInUse())
                    .as("one slab holds both")
                    .isEqualTo(MemoryOptions.defaults().slabBytes());
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> unit.allocator().allocate(DataType.STRING, Shape.of(1), 10))
                .withMessageContaining("host memory");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> unit.allocator().allocate(DataType.FLOAT, Shape.of(2), 4))
                .withMessageContaining("takes 8 bytes, not 4");
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> unit.allocator().allocate(DataType.UINT8, Shape.of(2L << 30)))
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
    }

    @Test
    void aTensorOutlivesTheTransport() {
        Tensor tensor = unit.allocator().allocate(DataType.UINT8, Shape.of(100));
        memory.close();
        assertThat(device.bytesInUse()).isPositive();
        assertThat(tensor.address()).isPositive();
        tensor.close();
    }
}
