package io.tensorferry.it.benchmark.exchange;

import java.lang.foreign.MemorySegment;

/// Who asked for a tensor. Told on any thread: once [#arrived] and then [#slotIsFree], or once [#failed].
public interface Arrival {
    /// The tensor is here.
    ///
    /// @param content off-heap; no longer valid when this returns
    void arrived(MemorySegment content);

    /// What the tensor took is given back; its slot may be asked for again, also from here.
    void slotIsFree();

    void failed(Throwable cause);
}
