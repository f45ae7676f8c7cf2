package io.tensorferry.api;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// How one tensor is received. Immutable.
///
/// @param timeout as in [Rendezvous#recvAsync(RendezvousKey, Duration, DoneCallback)]; null for none
/// @param allocator makes the memory of the result, on its [TensorAllocator#device()], there at once: without a
///     [Tensor#readyEvent()]; null: the transport's, on the device that the key names, if the transport was given that.
///     A tensor of the same worker stays in the producer's memory, unless that is on another device
/// @param delivery when the receive ends
public record ReceiveOptions(
        @Nullable Duration timeout, @Nullable TensorAllocator allocator, Delivery delivery) {
    private static final ReceiveOptions DEFAULTS = new ReceiveOptions(null, null, Delivery.COMPLETE);

    public static ReceiveOptions defaults() {
        return DEFAULTS;
    }

    public ReceiveOptions withTimeout(Duration changed) {
        return new ReceiveOptions(changed, allocator, delivery);
    }

    /// The same with a result in memory of `changed`.
    public ReceiveOptions into(TensorAllocator changed) {
        return new ReceiveOptions(timeout, changed, delivery);
    }

    public ReceiveOptions withDelivery(Delivery changed) {
        return new ReceiveOptions(timeout, allocator, changed);
    }
}
