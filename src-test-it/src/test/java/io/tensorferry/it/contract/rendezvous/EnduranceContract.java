package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.cuda.CudaAccelerator;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// Many transfers between GPUs take no more pinned memory, and no more of the GPU's, than few.
abstract class EnduranceContract extends RendezvousContract {
    private static final int AT_ONCE = 8;
    private static final int PIECE = AcceleratorOptions.defaults().pieceBytes();
    private static final long[] SIZES = {1, 64, 4096, 100_000, 262_145, 5, 20_000, PIECE + 1};
    // Of a tensor, in whole pieces.
    private static final long MOST_PINNED = 2L * PIECE;
    /// What a driver takes for itself comes in such units.
    private static final long DRIVERS_OWN = 32L << 20;

    private final int transfers;

    EnduranceContract(Protocol protocol, int transfers) {
        super(protocol);
        this.transfers = transfers;
    }

    @Override
    final AcceleratorOptions acceleratorOptions() {
        return AcceleratorOptions.defaults();
    }

    @Test
    void manyTransfersTakeNoMoreMemoryThanFew() throws Exception {
        var gpu = (CudaAccelerator) accelerator(consumer());
        long step = STEP;
        try (var there = new PinnedPiece(accelerator(producer()));
                var here = new PinnedPiece(gpu)) {
            for (int warm = 0; warm < SIZES.length; warm++) {
                exchange(step++, there, here);
            }
            long freeBefore = gpu.freeBytes();
            for (int done = 0; done < transfers; done += AT_ONCE) {
                exchange(step++, there, here);
            }
            assertThat(gpu.freeBytes()).as("free memory of the GPU").isGreaterThanOrEqualTo(freeBefore - DRIVERS_OWN);
        }
        for (TransportServer server : workers().all()) {
            AcceleratorStatistics now = server.statistics().accelerators().getFirst();
            assertThat(now.highWaterProxyBytes())
                    .as("the most pinned memory that was in use at once")
                    .isPositive()
                    .isLessThanOrEqualTo(AT_ONCE * MOST_PINNED);
            assertThat(now.strandedBytes()).isZero();
            eventually("all of its memory is back", () -> isAtRest(server));
        }
    }

    private static boolean isAtRest(TransportServer server) {
        AcceleratorStatistics now = server.statistics().accelerators().getFirst();
        return now.sendProxyBytes() == 0 && now.receiveProxyBytes() == 0 && now.deviceBytesInUse() == 0;
    }

    /// A step of several tensors, of different sizes from step to step, which are all compared.
    private void exchange(long step, PinnedPiece there, PinnedPiece here) throws Exception {
        var receives = new ArrayList<CompletableFuture<RecvResult>>();
        for (int i = 0; i < AT_ONCE; i++) {
            receives.add(receiving(step).recvAsync(key("tensor " + i)));
        }
        for (int i = 0; i < AT_ONCE; i++) {
            Tensor source = allocator().allocate(DataType.UINT8, Shape.of(size(step, i)));
            there.fill(source, seed(step, i));
            sending(step).send(key("tensor " + i), source);
        }
        for (int i = 0; i < AT_ONCE; i++) {
            try (Tensor received = await(receives.get(i)).tensorOrThrow()) {
                assertThat(received.byteSize()).isEqualTo(size(step, i));
                here.check(received, seed(step, i));
            }
        }
        consumer().closeStep(step);
        producer().closeStep(step);
    }

    private static long size(long step, int tensor) {
        return SIZES[(int) ((step + tensor) % SIZES.length)];
    }

    private static long seed(long step, int tensor) {
        return step * AT_ONCE + tensor;
    }
}
