package io.tensorferry.it.benchmark.exchange;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/// The content of a tensor in memory that the processor does not reach.
public interface DeviceContent {
    long byteSize();

    /// Copies it into host memory, where `reader` sees it, and wipes it out where it was: what is found there the next
    /// time has come anew. Takes time that is not to be measured.
    void take(Consumer<MemorySegment> reader);
}
