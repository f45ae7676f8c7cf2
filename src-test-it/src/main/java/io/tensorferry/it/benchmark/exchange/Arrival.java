package io.tensorferry.it.benchmark.exchange;

import java.lang.foreign.MemorySegment;

/// Who asked for a tensor. Told on any thread: once [#arrived] or [#arrivedOnDevice] and then [#slotIsFree], or once
/// [#failed].
public interface Arrival {
    /// The tensor is here.
    ///
    /// @param content off-heap; no longer valid when this returns
    void arrived(MemorySegment content);

    /// In place of [#arrived], of a tensor that is on an accelerator.
    ///
    /// @param content no longer valid when this returns
    default void arrivedOnDevice(DeviceContent content) {
        content.take(this::arrived);
    }

    /// What the tensor took is given back; its slot may be asked for again, also from here.
    void slotIsFree();

    void failed(Throwable cause);
}
