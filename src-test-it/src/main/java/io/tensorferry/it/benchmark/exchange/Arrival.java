package io.tensorferry.it.benchmark.exchange;

import java.lang.foreign.MemorySegment;

/// Receives the outcome of a request for a tensor. Called on any thread: once [#arrived] or [#arrivedOnDevice] and then
/// [#slotIsFree], or once [#failed].
public interface Arrival {
    /// The tensor has arrived.
    ///
    /// @param content off-heap; no longer valid when this returns
    void arrived(MemorySegment content);

    /// The tensor has arrived on an accelerator. Called instead of [#arrived].
    ///
    /// @param content no longer valid when this returns
    default void arrivedOnDevice(DeviceContent content) {
        content.take(this::arrived);
    }

    /// The tensor's memory is released. Its slot may be used for another request, also from this call.
    void slotIsFree();

    void failed(Throwable cause);
}
