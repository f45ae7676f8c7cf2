package io.tensorferry.verbs.rendezvous;

import java.util.concurrent.atomic.LongAdder;

/// The transfer counters of a worker. Any thread.
public final class RendezvousCounters {
    public final LongAdder coldRequests = new LongAdder();
    public final LongAdder warmRequests = new LongAdder();
    public final LongAdder reRequests = new LongAdder();
    public final LongAdder tensorsReceived = new LongAdder();
    public final LongAdder bytesReceived = new LongAdder();
    public final LongAdder tensorsSent = new LongAdder();
    public final LongAdder bytesSent = new LongAdder();
    public final LongAdder tensorsCarried = new LongAdder();
    public final LongAdder failedReceives = new LongAdder();
    public final LongAdder unregisteredCopies = new LongAdder();
    public final LongAdder copiedResults = new LongAdder();
    public final LongAdder staleIndexes = new LongAdder();
    public final LongAdder checksumMismatches = new LongAdder();
    public final LongAdder fallbackReceives = new LongAdder();
    public final LongAdder fallbackRequests = new LongAdder();
}
