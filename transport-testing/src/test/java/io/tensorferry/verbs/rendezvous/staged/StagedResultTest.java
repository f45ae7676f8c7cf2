package io.tensorferry.verbs.rendezvous.staged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.DataType;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.choice.DeviceChoice;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.rendezvous.content.Destination;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The release of the memory of a result on an accelerator. The test is the loop.
@Timeout(60)
class StagedResultTest {
    private static final int SHARE = 32 << 10;
    private static final TensorMetaData PAGE = TensorMetaData.of(DataType.UINT8, Shape.of(4096));

    private final AcceleratorTime time = AcceleratorTime.real();
    private final SimulatedAccelerator device =
            new SimulatedAccelerator(0, time, 3, SimulatedAcceleratorOptions.defaults());
    private final ProtectionDomain domain = DeviceChoice.choose(
                    RdmaConfig.builder().build(), List.of(new SimulatedFabric(1).provider("node")))
            .device()
            .allocateProtectionDomain();
    private final RegisteredMemory memory = new RegisteredMemory(domain, MemoryOptions.defaults());
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private AcceleratorUnit unit;

    @BeforeEach
    void open() {
        var options = AcceleratorOptions.defaults().withPieces(4096, 2).withProxyBytes(2 * SHARE);
        unit = AcceleratorUnit.open(
                device, memory, options, commands::add, Runnable::run, AcceleratorUnit.ownThread(device));
    }

    @AfterEach
    void close() {
        memory.close();
        assertThat(device.mistakes()).isEmpty();
        time.close();
        domain.close();
    }

    private StagedResult withProxy() {
        StagedResult result = StagedResult.allocate(PAGE, ReceiveOptions.defaults(), unit);
        assertThat(result.named()).isNull();
        assertThat(isReadyAtOnce(result)).isFalse();
        turnLoop();
        return result;
    }

    private boolean isReadyAtOnce(StagedResult result) {
        var ready = new AtomicBoolean();
        result.prepare("peer", new Destination.Asker() {
            @Override
            public int index() {
                return 0;
            }

            @Override
            public void onReady() {
                ready.set(true);
            }

            @Override
            public void onNotReady(TransportException cause) {
                throw cause;
            }

            @Override
            public MemoryGrant askAgain(Destination whole) {
                throw new AssertionError("asked again");
            }

            @Override
            public void askInPieces() {
                throw new AssertionError("asked in pieces");
            }

            @Override
            public void onPieceFailed(TransportException cause) {
                throw cause;
            }
        });
        return ready.get();
    }

    private void turnLoop() {
        for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
            command.run();
        }
    }

    /// Waits until the copy thread has closed its objects.
    private void assertInUse(long deviceBytes, long proxyBytes, long stranded) {
        while (unit.copies().isBusy()) {
            assertThat(Thread.interrupted()).isFalse();
            Thread.onSpinWait();
        }
        assertThat(unit.statistics().deviceBytesInUse()).isEqualTo(deviceBytes);
        assertThat(unit.statistics().receiveProxyBytes()).isEqualTo(proxyBytes);
        assertThat(unit.statistics().strandedBytes()).isEqualTo(stranded);
    }

    @Test
    void theSenderIsToldOfTheProxy() {
        StagedResult result = withProxy();
        NamedMemory named = Objects.requireNonNull(result.named());
        assertThat(result.address()).isEqualTo(named.address());
        assertThat(named.length()).isEqualTo(4096);
        assertThat(named.region()).isEqualTo(memory.regionOf(named.address(), 4096));
        assertInUse(4096, 4096, 0);
        result.close();
        assertInUse(0, 0, 0);
    }

    /// A peer's device may write to this memory for ever, but only to it.
    @Test
    void ofWhatAPeerMayWriteForEverTheProxyIsLostAndTheTensorIsNot() {
        withProxy().strand();
        assertInUse(0, 0, 4096);
    }

    @Test
    void ofACopyThatMayNeverEndBothEndsAreLost() {
        withProxy().strandCopy();
        assertInUse(4096, 0, 4096);
    }

    @Test
    void aResultOfNoBytesNeedsNothing() {
        StagedResult result = StagedResult.allocate(
                TensorMetaData.of(DataType.FLOAT, Shape.of(0, 3)), ReceiveOptions.defaults(), unit);
        assertThat(isReadyAtOnce(result)).isTrue();
        assertThat(result.named()).isNull();
        assertThat(result.address()).isZero();
        assertThat(result.tensor().device()).isSameAs(device);
        assertInUse(0, 0, 0);
        result.close();
    }

    @Test
    void nothingIsTakenForOneThatNoProxyHolds() {
        TensorMetaData large = TensorMetaData.of(DataType.UINT8, Shape.of(SHARE + 1));
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> StagedResult.allocate(large, ReceiveOptions.defaults(), unit))
                .withMessageContaining("proxyBytes")
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
        assertInUse(0, 0, 0);
    }

    @Test
    void stringsAndDeadTensorsAreNotOnAnAccelerator() {
        assertThat(StagedResult.isFor(PAGE)).isTrue();
        assertThat(StagedResult.isFor(TensorMetaData.ofDead())).isFalse();
        assertThat(StagedResult.isFor(new TensorMetaData(DataType.STRING, Shape.of(1), false, 20)))
                .isFalse();
    }
}
