package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.SendWorkRequest;
import java.util.ArrayList;
import java.util.List;

/// Records the requests that it is given, and executes none.
public final class RecordingQueuePair implements QueuePair {
    public record Sent(
            SendWorkRequest.Opcode opcode,
            long workId,
            boolean signaled,
            long localAddress,
            long length,
            long remoteAddress,
            int immediate,
            boolean inline) {}

    /// The granted capacities.
    public int maxInlineBytes;

    /// The submitted requests, list by list.
    public final List<List<Sent>> lists = new ArrayList<>();

    private final List<Sent> prepared = new ArrayList<>();

    /// All submitted requests, in their order.
    public List<Sent> sent() {
        return lists.stream().flatMap(List::stream).toList();
    }

    @Override
    public int maxInlineBytes() {
        return maxInlineBytes;
    }

    @Override
    public int number() {
        return 1;
    }

    @Override
    public QueuePairState state() {
        return QueuePairState.RTS;
    }

    @Override
    public void modify(QueuePairAttributes attributes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void prepareSend(SendWorkRequest request) {
        prepared.add(new Sent(
                request.opcode,
                request.workId,
                request.signaled,
                request.localAddress,
                request.length,
                request.remoteAddress,
                request.immediate,
                request.inline));
    }

    @Override
    public void submitSends() {
        if (!prepared.isEmpty()) {
            lists.add(List.copyOf(prepared));
            prepared.clear();
        }
    }

    @Override
    public void postReceive(long workId, long address, long length, int localKey) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
