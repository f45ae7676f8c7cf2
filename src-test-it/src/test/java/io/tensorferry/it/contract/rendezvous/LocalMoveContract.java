package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// Tensors that move between host memory and an accelerator of one worker. For workers with accelerators.
abstract class LocalMoveContract extends RendezvousContract {
    LocalMoveContract(Protocol protocol) {
        super(protocol);
    }

    /// From the host to the accelerator, as the key says, and back, as the options do.
    @Test
    void aReceiveOnTheSameWorkerGetsItsTensorWhereItWantsIt() throws Exception {
        DeviceName host = Workers.device("worker", PRODUCER);
        var device = new DeviceName(host.job(), host.replica(), host.task(), "GPU", 0);
        RendezvousKey there = RendezvousKey.of(host, device, "there");
        for (int size : new int[] {0, 1, 70_001, 1 << 20}) {
            Tensor sent = Contents.bytes(producer().allocator(), size, 5);
            sending().send(there, Contents.watched(sent));
            Tensor onDevice = sending().recv(there, LIMIT).tensorOrThrow();
            assertThat(onDevice.device().hostAccessible()).isFalse();
            eventually("the producer's tensor is closed", sent::isClosed);

            var watched = new WatchedAllocator(TensorAllocator.unregistered());
            CompletableFuture<RecvResult> back =
                    sending().recvAsync(there, ReceiveOptions.defaults().into(watched));
            sending().send(there, Contents.watched(onDevice));
            RecvResult result = await(back);
            assertThat(watched.made(result.tensorOrThrow())).isTrue();
            Contents.checkBytes(result, size, 5);
            eventually("the tensor on the accelerator is closed", onDevice::isClosed);
        }
    }
}
