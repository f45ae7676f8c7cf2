package io.tensorferry.it.benchmark.growth;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Tensor;
import io.tensorferry.it.benchmark.exchange.Arrival;

/// Receives tensors from one peer in sequence. Callbacks arrive one at a time.
final class Chain {
    private final Rendezvous rendezvous;
    private final RendezvousKey key;
    private final long bytes;
    private final Arrival end;
    private int left;

    /// @param bytes the expected size of each tensor
    /// @param count receives, 1 or more
    /// @param end called once, when the last tensor has arrived or a receive has failed
    Chain(Rendezvous rendezvous, RendezvousKey key, long bytes, int count, Arrival end) {
        this.rendezvous = rendezvous;
        this.key = key;
        this.bytes = bytes;
        this.end = end;
        this.left = count;
    }

    void askForNext() {
        rendezvous.recvAsync(key, this::done);
    }

    private void done(RecvResult result) {
        try (Tensor tensor = result.tensorOrThrow()) {
            if (tensor.byteSize() != bytes) {
                throw new IllegalStateException("a tensor of " + tensor.byteSize() + " bytes arrived");
            }
        } catch (RuntimeException e) {
            end.failed(e);
            return;
        }
        left--;
        if (left == 0) {
            end.slotIsFree();
        } else {
            askForNext();
        }
    }
}
