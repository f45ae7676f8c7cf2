package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.wire.WorkKind;
import java.util.ArrayDeque;
import java.util.Collection;

/// The reads that wait for one lane, first come first served.
///
/// They leave a quarter of the send queue to contents, acknowledgements and windows, and like contents they post only
/// so many bytes at a time. What is posted behind them is still done after them: a queue pair keeps the order of its
/// work.
///
/// Owner: the loop.
final class LaneReads {
    private final SendList sends;
    private final PostedWork posted;
    private final long mostUnderWay;
    private final ArrayDeque<ReadBatch> waiting = new ArrayDeque<>();
    private final ReadRequest request = new ReadRequest();

    /// @param mostUnderWay bytes of the lane
    LaneReads(SendList sends, long mostUnderWay) {
        this.sends = sends;
        this.posted = sends.posted();
        this.mostUnderWay = mostUnderWay;
    }

    void enqueue(ReadBatch batch) {
        waiting.add(batch);
    }

    /// Posts those that wait, as far as there is room.
    void pump() {
        while (!posted.isFullForReads() && posted.bytesUnderWay() < mostUnderWay) {
            ReadBatch batch = waiting.peek();
            if (batch == null) {
                return;
            }
            batch.describeNext(request);
            sends.next()
                    .read(
                            sends.workId(WorkKind.READ),
                            request.localAddress,
                            request.length,
                            request.localKey,
                            request.remoteAddress,
                            request.remoteKey);
            boolean last = batch.isPosted();
            if (last) {
                waiting.remove();
            }
            sends.addRead(last ? batch : null, batch.signalInterval());
        }
    }

    /// Moves all whose last read was not posted.
    void drainTo(Collection<ReadBatch> taken) {
        taken.addAll(waiting);
        waiting.clear();
    }
}
