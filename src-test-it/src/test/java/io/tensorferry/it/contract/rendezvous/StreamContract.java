package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DataType;
import io.tensorferry.api.Delivery;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.HostPin;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// Streams of the application at both ends, which neither waits for on a thread: the producer's is not done with the
/// tensor when it is sent, and the consumer's goes on with it when the last copy is queued.
abstract class StreamContract extends RendezvousContract {
    private static final int ROUNDS = 5;
    private static final int BYTES = 3_000_001;
    private static final int PAGE = 4096;

    private final long busyBytes;
    private final int busyCopies;

    /// @param busyBytes of each copy that the producer's stream does first
    /// @param busyCopies how many; they take longer than to send a tensor
    StreamContract(Protocol protocol, long busyBytes, int busyCopies) {
        super(protocol);
        this.busyBytes = busyBytes;
        this.busyCopies = busyCopies;
    }

    @Test
    void theStreamsOfBothEndsAreWaitedForByEvents() throws Exception {
        Accelerator there = accelerator(producer());
        Accelerator here = accelerator(consumer());
        try (Arena arena = Arena.ofShared()) {
            MemorySegment pages = arena.allocate(busyBytes, PAGE);
            MemorySegment written = pages(arena);
            MemorySegment read = pages(arena);
            MemorySegment expected = pages(arena);
            try (HostPin _ = there.pin(pages);
                    HostPin _ = there.pin(written);
                    HostPin _ = here.pin(read);
                    DeviceMemory busy = there.allocate(busyBytes);
                    DeviceMemory result = here.allocate(BYTES);
                    DeviceStream producing = there.openStream();
                    DeviceStream consuming = here.openStream()) {
                for (long step = STEP; step < STEP + ROUNDS; step++) {
                    MemorySegment content = written.asSlice(0, BYTES);
                    PinnedPiece.write(content, 0, step);
                    CompletableFuture<RecvResult> receive = receiving(step)
                            .recvAsync(key("queued"), ReceiveOptions.defaults().withDelivery(Delivery.QUEUED));
                    // Before all that: a driver may wait for its device where it gives memory.
                    Tensor source = allocator().allocate(DataType.UINT8, Shape.of(BYTES));
                    for (int i = 0; i < busyCopies; i++) {
                        producing.copyToHost(busy.address(), pages);
                    }
                    producing.copyFromHost(content, source.address());
                    DeviceEvent ready = producing.record();
                    // A handle of its own keeps the event open.
                    try (Tensor _ = source.share()) {
                        sending(step).send(key("queued"), source.readyAfter(ready));
                        assertThat(ready.isReached())
                                .as("the producer's stream is done before the tensor is sent")
                                .isFalse();
                        try (Tensor received = await(receive).tensorOrThrow()) {
                            assertThat(ready.isReached())
                                    .as("the producer's stream is done")
                                    .isTrue();
                            DeviceEvent arrived = received.readyEvent();
                            if (arrived != null) {
                                consuming.await(arrived);
                            }
                            consuming.copy(received.address(), result.address(), BYTES);
                            consuming.copyToHost(result.address(), read.asSlice(0, BYTES));
                            try (DeviceEvent done = consuming.record()) {
                                done.await();
                            }
                        }
                    }
                    PinnedPiece.write(expected.asSlice(0, BYTES), 0, step);
                    assertThat(read.asSlice(0, BYTES).mismatch(expected.asSlice(0, BYTES)))
                            .as("first byte of round %d that differs", step)
                            .isEqualTo(-1);
                }
            }
        }
    }

    private static MemorySegment pages(Arena arena) {
        return arena.allocate((BYTES + PAGE - 1) / PAGE * PAGE, PAGE);
    }
}
