package io.tensorferry.verbs.accelerator;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.HostPin;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The copy queue in virtual time: the test runs the queue, and lets the accelerator proceed.
class CopyQueueTest {
    private static final int BYTES = 4096;

    private final SimulatedFabric fabric = new SimulatedFabric(1, SimulatedFabricOptions.defaults());
    private final SimulatedAccelerator device =
            new SimulatedAccelerator(0, AcceleratorTime.of(fabric), 5, SimulatedAcceleratorOptions.defaults());
    private final List<Runnable> told = new ArrayList<>();
    private final CopyQueue queue = new CopyQueue(device, told::add, new NoRunner());
    private final Arena arena = Arena.ofShared();
    private final MemorySegment host = arena.allocate(4 * BYTES, 64);
    private DeviceMemory memory;
    private HostPin pin;

    @BeforeEach
    void allocate() {
        memory = device.allocate(4 * BYTES);
        pin = device.pin(host);
    }

    /// After each test, the queue ends and leaves nothing.
    @AfterEach
    void endEverything() {
        queue.close();
        work();
        assertThat(queue.isOver()).isTrue();
        queue.closeStreams();
        pin.close();
        memory.close();
        arena.close();
        assertThat(device.leftOver()).isEmpty();
        assertThat(device.mistakes()).isEmpty();
    }

    private static final class NoRunner implements CopyRunner {
        @Override
        public void start(CopyQueue queue) {
            throw new AssertionError("the test does the work");
        }

        @Override
        public void wake() {}

        @Override
        public void stop() {
            throw new AssertionError("the test does the work");
        }
    }

    /// Runs until no work and no event is left.
    private void work() {
        do {
            while (queue.doWork() > 0) {
                tell();
            }
        } while (fabric.runNext());
        tell();
    }

    private void tell() {
        List<Runnable> now = List.copyOf(told);
        told.clear();
        now.forEach(Runnable::run);
    }

    private MemorySegment piece(int index) {
        return host.asSlice((long) index * BYTES, BYTES);
    }

    private long placeOf(int index) {
        return memory.address() + (long) index * BYTES;
    }

    @Test
    void whatNicsHaveWrittenIsFlushedOnceForAllThatWaitForIt() {
        var flushed = new SimulatedAccelerator(
                1,
                AcceleratorTime.of(fabric),
                5,
                SimulatedAcceleratorOptions.defaults().withExport(NicWrites.AFTER_FLUSH));
        var flushing = new CopyQueue(flushed, told::add, new NoRunner());
        var waiting = List.of(new RecordingTask(), new RecordingTask(), new RecordingTask());
        waiting.forEach(flushing::whenWritten);
        assertThat(flushing.doWork()).isEqualTo(3);
        tell();
        assertThat(waiting).allMatch(RecordingTask::isDone);
        assertThat(flushed.flushes()).isEqualTo(1);
        assertThat(flushing.isBusy()).isFalse();

        var fault = new TransportException(StatusCode.INTERNAL, "a fault, on purpose");
        flushed.breakDevice(fault);
        var late = new RecordingTask();
        flushing.whenWritten(late);
        flushing.doWork();
        tell();
        assertThat(late.failure()).isSameAs(fault);
        assertThat(late.isStranded()).isFalse();
        assertThat(flushing.broken()).isSameAs(fault);
        flushing.close();
        assertThat(flushing.isOver()).isTrue();
        flushing.closeStreams();
    }

    @Test
    void bytesGoToTheDeviceAndComeBack() {
        piece(0).fill((byte) 42);
        var there = new RecordingTask();
        queue.fromHost(piece(0), placeOf(1), there);
        assertThat(queue.isBusy()).isTrue();
        work();
        assertThat(there.isDone()).isTrue();

        var back = new RecordingTask();
        queue.toHost(placeOf(1), piece(2), back);
        work();

        assertThat(back.isDone()).isTrue();
        assertThat(piece(2).mismatch(piece(0))).isEqualTo(-1);
        assertThat(queue.isBusy()).isFalse();
        assertThat(queue.bytesFromHost()).isEqualTo(BYTES);
        assertThat(queue.bytesToHost()).isEqualTo(BYTES);
    }

    @Test
    void aReleasedTensorIsClosedByWhoeverDoesTheWork() {
        for (boolean broken : new boolean[] {false, true}) {
            var closed = new AtomicInteger();
            var tensor =
                    Tensor.onDevice(DataType.UINT8, Shape.of(BYTES), device, memory.address(), closed::incrementAndGet);
            queue.release(tensor);
            assertThat(closed).hasValue(0);
            assertThat(queue.isBusy()).isTrue();
            if (broken) {
                device.breakDevice(new TransportException(StatusCode.INTERNAL, "it broke"));
            }

            work();
            assertThat(closed).hasValue(1);
            assertThat(queue.isBusy()).isFalse();
        }
    }

    @Test
    void aTensorThatIsReleasedWhenTheQueueHasEndedIsClosedAtOnce() {
        queue.close();
        var closed = new AtomicInteger();
        queue.release(
                Tensor.onDevice(DataType.UINT8, Shape.of(BYTES), device, memory.address(), closed::incrementAndGet));
        assertThat(closed).hasValue(1);
        assertThat(queue.isOver()).isTrue();
    }

    @Test
    void aTaskIsToldOnlyWhenItsBytesAreThere() {
        device.hold();
        var task = new RecordingTask();
        queue.fromHost(piece(0), placeOf(0), task);
        work();
        assertThat(task.ends()).isZero();
        assertThat(queue.isCopying()).isTrue();

        device.release();
        work();
        assertThat(task.isDone()).isTrue();
    }

    /// A task that keeps the event of the end of its copy.
    private static final class EarlyTask extends CopyTask {
        private final List<String> told = new ArrayList<>();
        private @Nullable DeviceEvent copied;

        @Override
        protected boolean wantsToKnowWhenQueued() {
            return true;
        }

        @Override
        protected void onQueued(DeviceEvent event) {
            told.add("queued");
            copied = event;
        }

        @Override
        protected void onDone() {
            told.add("done");
        }

        @Override
        protected void onFailed(TransportException cause, boolean stranded) {
            told.add("failed");
        }
    }

    @Test
    void whoWantsToKnowIsToldWhenACopyIsQueuedAndAgainWhenItIsDone() {
        device.hold();
        piece(0).fill((byte) 42);
        var task = new EarlyTask();
        queue.fromHost(piece(0), placeOf(0), task);
        queue.doWork();
        assertThat(task.told).containsExactly("queued");
        DeviceEvent copied = Objects.requireNonNull(task.copied);
        assertThat(copied.isReached()).isFalse();

        device.release();
        work();
        assertThat(task.told).containsExactly("queued", "done");
        // The event belongs to the task, and outlives the queue's own.
        assertThat(copied.isReached()).isTrue();
        copied.close();
        assertThat(device.peek(placeOf(0), 1)).containsExactly(42);
    }

    @Test
    void nobodyIsToldOfACopyThatIsNotQueued() {
        device.breakDevice(new TransportException(StatusCode.INTERNAL, "on purpose"));
        var task = new EarlyTask();
        queue.fromHost(piece(0), placeOf(0), task);
        work();
        assertThat(task.told).containsExactly("failed");
    }

    @Test
    void copiesOfOneWayEndInTheOrderInWhichTheyWereGiven() {
        var ended = new ArrayList<Integer>();
        for (int i = 0; i < 100; i++) {
            int number = i;
            queue.fromHost(piece(i % 4), placeOf(i % 4), new CopyTask() {
                @Override
                protected void onDone() {
                    ended.add(number);
                }

                @Override
                protected void onFailed(TransportException cause, boolean stranded) {
                    throw cause;
                }
            });
        }
        work();
        assertThat(ended).hasSize(100).isSorted();
    }

    @Test
    void aTaskMayBeGivenAgainWhenItTellsItsEnd() {
        var left = new int[] {10};
        queue.toHost(placeOf(0), piece(0), new CopyTask() {
            @Override
            protected void onDone() {
                if (--left[0] > 0) {
                    queue.toHost(placeOf(0), piece(0), this);
                }
            }

            @Override
            protected void onFailed(TransportException cause, boolean stranded) {
                throw cause;
            }
        });
        work();
        assertThat(left[0]).isZero();
        assertThat(queue.bytesToHost()).isEqualTo(10L * BYTES);
    }

    @Test
    void anEventThatIsNotReachedHoldsNothingUp() {
        DeviceStream stream = device.openStream();
        device.hold();
        DeviceEvent event = stream.record();
        var waits = new RecordingTask();
        queue.whenReached(event, waits);
        queue.doWork();
        var copy = new RecordingTask();
        queue.toHost(placeOf(0), piece(0), copy);
        queue.doWork();
        tell();
        assertThat(waits.ends()).isZero();
        assertThat(queue.isWaiting()).isTrue();

        device.release();
        work();
        assertThat(copy.isDone()).isTrue();
        assertThat(waits.isDone()).isTrue();
        event.close();
        stream.close();
    }

    @Test
    void ofThousandsOfEventsEachIsLookedAtInItsTurn() {
        DeviceStream slow = device.openStream();
        DeviceStream quick = device.openStream();
        device.hold();
        DeviceEvent never = slow.record();
        var waiting = new ArrayList<RecordingTask>();
        for (int i = 0; i < 1000; i++) {
            var task = new RecordingTask();
            waiting.add(task);
            queue.whenReached(never, task);
        }
        var last = new RecordingTask();
        try (DeviceEvent soon = quick.record()) {
            queue.whenReached(soon, last);
            queue.doWork();
            assertThat(last.ends()).isZero();
            device.release();
            work();
            assertThat(last.isDone()).isTrue();
        }
        assertThat(waiting).allMatch(RecordingTask::isDone);
        never.close();
        slow.close();
        quick.close();
    }

    @Test
    void aWaitThatIsCalledOffFails() {
        DeviceStream stream = device.openStream();
        device.hold();
        DeviceEvent event = stream.record();
        var task = new RecordingTask();
        queue.whenReached(event, task);
        work();
        task.callOff();
        work();
        assertThat(task.ends()).isEqualTo(1);
        assertThat(task.failure().code()).isEqualTo(StatusCode.CANCELLED);
        assertThat(task.isStranded()).isFalse();
        device.release();
        event.close();
        stream.close();
    }

    @Test
    void aDeviceThatFailsFailsWhatIsUnderWayAndEverythingAfterIt() {
        var cause = new TransportException(StatusCode.INTERNAL, "cuMemcpy: an illegal memory access");
        device.failNextCopy(cause);
        var first = new RecordingTask();
        var second = new RecordingTask();
        queue.toHost(placeOf(0), piece(0), first);
        queue.fromHost(piece(1), placeOf(1), second);
        work();
        var later = new RecordingTask();
        queue.fromHost(piece(1), placeOf(1), later);
        work();

        for (RecordingTask task : List.of(first, second, later)) {
            assertThat(task.ends()).isEqualTo(1);
            assertThat(task.failure()).isSameAs(cause);
        }
        assertThat(first.isStranded()).isTrue();
        assertThat(later.isStranded()).isFalse();
        assertThat(queue.broken()).isSameAs(cause);
    }

    @Test
    void whatIsCopiedGoesOnWhenTheQueueCloses() {
        device.hold();
        var copied = new RecordingTask();
        queue.toHost(placeOf(0), piece(0), copied);
        queue.doWork();
        DeviceStream stream = device.openStream();
        DeviceEvent event = stream.record();
        var waits = new RecordingTask();
        queue.whenReached(event, waits);
        queue.doWork();

        queue.close();
        var late = new RecordingTask();
        queue.toHost(placeOf(1), piece(1), late);
        work();
        assertThat(waits.failure().code()).isEqualTo(StatusCode.ABORTED);
        assertThat(late.failure().code()).isEqualTo(StatusCode.ABORTED);
        assertThat(copied.ends()).isZero();
        assertThat(queue.isOver()).isFalse();

        device.release();
        work();
        assertThat(copied.isDone()).isTrue();
        event.close();
        stream.close();
    }

    @Test
    void anEventWhoseDeviceIsGoneBreaksTheQueue() {
        var task = new RecordingTask();
        var gone = new TransportException(StatusCode.INTERNAL, "the event's device is gone");
        queue.whenReached(new BrokenEvent(gone), task);
        work();
        assertThat(task.failure()).isSameAs(gone);
        assertThat(task.isStranded()).isFalse();
        assertThat(queue.broken()).isSameAs(gone);
    }

    private record BrokenEvent(TransportException cause) implements DeviceEvent {
        @Override
        public boolean isReached() {
            throw cause;
        }

        @Override
        public void await() {
            throw cause;
        }

        @Override
        public void close() {}
    }
}
