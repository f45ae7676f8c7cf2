package io.tensorferry.verbs.rendezvous;

import java.util.concurrent.atomic.LongAdder;

/// What the transfers of a worker have counted. Any thread.
final class RendezvousCounters {
    final LongAdder coldRequests = new LongAdder();
    final LongAdder warmRequests = new LongAdder();
    final LongAdder reRequests = new LongAdder();
    final LongAdder tensorsReceived = new LongAdder();
    final LongAdder bytesReceived = new LongAdder();
    final LongAdder tensorsSent = new LongAdder();
    final LongAdder bytesSent = new LongAdder();
    final LongAdder tensorsCarried = new LongAdder();
    final LongAdder failedReceives = new LongAdder();
    final LongAdder unregisteredCopies = new LongAdder();
    final LongAdder copiedResults = new LongAdder();
    final LongAdder staleIndexes = new LongAdder();
    final LongAdder checksumMismatches = new LongAdder();
    final LongAdder fallbackReceives = new LongAdder();
    final LongAdder fallbackRequests = new LongAdder();
}
