package io.tensorferry.it.benchmark.exchange;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/// The content of a tensor in memory that the processor cannot access.
public interface DeviceContent {
    long byteSize();

    /// Copies the content to host memory for `reader`, and erases the original, so that the next content found there is
    /// new. Takes time, so it must not be part of a measurement.
    void take(Consumer<MemorySegment> reader);
}
