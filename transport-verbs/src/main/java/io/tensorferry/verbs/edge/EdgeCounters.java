package io.tensorferry.verbs.edge;

import java.util.concurrent.atomic.LongAdder;

/// What the edges of one worker have done.
final class EdgeCounters {
    final LongAdder tensorsSent = new LongAdder();
    final LongAdder bytesSent = new LongAdder();
    final LongAdder tensorsReceived = new LongAdder();
    final LongAdder bytesReceived = new LongAdder();
    final LongAdder unregisteredCopies = new LongAdder();
}
