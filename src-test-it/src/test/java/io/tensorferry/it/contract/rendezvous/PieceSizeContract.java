package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.cuda.CudaAccelerator;
import io.tensorferry.verbs.config.AcceleratorOptions;
import org.junit.jupiter.api.Test;

/// With the defaults, tensors between GPUs arrive whole that are nothing, of about a piece, or larger than all else.
abstract class PieceSizeContract extends RendezvousContract {
    private static final int PIECE = AcceleratorOptions.defaults().pieceBytes();
    private static final long SLABS = 512L << 20;

    private final long large;
    private final long largest;

    /// @param large a size that is always tested
    /// @param largest one that is tested where both ends have the memory
    PieceSizeContract(Protocol protocol, long large, long largest) {
        super(protocol);
        this.large = large;
        this.largest = largest;
    }

    @Override
    final AcceleratorOptions acceleratorOptions() {
        return AcceleratorOptions.defaults();
    }

    @Test
    void sizesOfAboutAPieceArriveWhole() throws Exception {
        long[] sizes = {0, 1, 4096, PIECE - 1, PIECE, PIECE + 1, large};
        for (int i = 0; i < sizes.length; i++) {
            // Cold, then with metadata that the receiver remembers.
            exchange(2 * i + 1, sizes[i]);
            exchange(2 * i + 2, sizes[i]);
        }
    }

    @Test
    void oneThatIsLargerThanAllOthersArrivesWhole() throws Exception {
        long free = ((CudaAccelerator) accelerator(consumer())).freeBytes();
        assumeTrue(
                free >= 2 * largest + SLABS,
                "two tensors of " + largest + " bytes need more memory of the GPU than the " + free + " bytes it has");
        exchange(STEP, largest);
    }

    private void exchange(long step, long size) throws InterruptedException {
        String edge = "of " + size;
        try (var there = new PinnedPiece(accelerator(producer()));
                var here = new PinnedPiece(accelerator(consumer()))) {
            Tensor source = allocator().allocate(DataType.UINT8, Shape.of(size));
            there.fill(source, size + step);
            sending(step).send(key(edge), source);
            try (Tensor received = receiving(step).recv(key(edge), LIMIT).tensorOrThrow()) {
                assertThat(received.device()).isSameAs(accelerator(consumer()));
                assertThat(received.byteSize()).isEqualTo(size);
                here.check(received, size + step);
            }
        }
    }
}
