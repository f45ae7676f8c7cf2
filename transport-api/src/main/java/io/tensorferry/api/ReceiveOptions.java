package io.tensorferry.api;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Options of one receive. Immutable.
///
/// @param timeout the deadline of [Rendezvous#recvAsync(RendezvousKey, Duration, DoneCallback)]; null for none
/// @param allocator allocates the memory of the result, on its [TensorAllocator#device()]; its tensors must be usable
///     at once, without a [Tensor#readyEvent()]. Null selects the transport's allocator, on the device that the key
///     names as the destination if that device was given to the transport. A tensor of the same worker stays in the
///     producer's memory, unless that memory is on another device
/// @param delivery when the receive ends
public record ReceiveOptions(
        @Nullable Duration timeout, @Nullable TensorAllocator allocator, Delivery delivery) {
    private static final ReceiveOptions DEFAULTS = new ReceiveOptions(null, null, Delivery.COMPLETE);

    /// No timeout, the transport's allocator, [Delivery#COMPLETE].
    public static ReceiveOptions defaults() {
        return DEFAULTS;
    }

    /// Returns a copy with a deadline; 0 or less expires at once.
    public ReceiveOptions withTimeout(Duration changed) {
        return new ReceiveOptions(changed, allocator, delivery);
    }

    /// Returns a copy whose result is allocated by `changed`.
    public ReceiveOptions into(TensorAllocator changed) {
        return new ReceiveOptions(timeout, changed, delivery);
    }

    /// Returns a copy with another rule for the end of the receive.
    public ReceiveOptions withDelivery(Delivery changed) {
        return new ReceiveOptions(timeout, allocator, changed);
    }
}
