package io.tensorferry.verbs.edge;

import java.util.concurrent.atomic.LongAdder;

/// Counters of one worker's edges.
final class EdgeCounters {
    final LongAdder tensorsSent = new LongAdder();
    final LongAdder bytesSent = new LongAdder();
    final LongAdder tensorsReceived = new LongAdder();
    final LongAdder bytesReceived = new LongAdder();
    final LongAdder unregisteredCopies = new LongAdder();
}
