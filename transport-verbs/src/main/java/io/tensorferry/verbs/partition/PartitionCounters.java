package io.tensorferry.verbs.partition;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/// The counters of one worker's partitioned tensors.
final class PartitionCounters {
    final AtomicInteger gathersUnderWay = new AtomicInteger();
    final LongAdder gathers = new LongAdder();
    final LongAdder localRows = new LongAdder();
    final LongAdder remoteRows = new LongAdder();
    final LongAdder reads = new LongAdder();
    final LongAdder bytesRead = new LongAdder();
    final LongAdder readsAgain = new LongAdder();
}
