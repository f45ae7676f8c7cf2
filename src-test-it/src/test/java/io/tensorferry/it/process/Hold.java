package io.tensorferry.it.process;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import java.util.EnumMap;
import java.util.Map;

/// Keeps receives from one node under way until they fail: large tensors, one after the other, and some that never
/// come.
///
/// Threading: one thread starts it; receives end on the callback executor.
final class Hold {
    static final long STEP = 1_000_000;

    private static final Shape LARGE = Shape.of(32 << 20);
    private static final int LARGE_AT_A_TIME = 4;
    private static final int NEVER_SENT = 50;
    private static final int OFFERED = 500;

    private final Rendezvous rendezvous;
    private final Launcher launcher;
    private final int self;
    private final int other;
    private final Map<StatusCode, Integer> failures = new EnumMap<>(StatusCode.class);
    private int arrived;
    private int pending;
    /// The first failure that another status than `UNAVAILABLE` was given, in words; empty for none.
    private String unexpected = "";

    Hold(TransportServer server, Launcher launcher, int self, int other) {
        this.rendezvous = server.rendezvous(STEP);
        this.launcher = launcher;
        this.self = self;
        this.other = other;
    }

    /// What the other node does: offers large tensors to `consumer`, all on one memory.
    static void offer(TransportServer server, int self, int consumer) {
        try (Tensor large = server.allocator().allocate(DataType.UINT8, LARGE)) {
            for (int i = 0; i < OFFERED; i++) {
                server.rendezvous(STEP).send(key(self, consumer, "large"), large.share());
            }
        }
    }

    void start() {
        for (int i = 0; i < NEVER_SENT; i++) {
            receive("never " + i);
        }
        for (int i = 0; i < LARGE_AT_A_TIME; i++) {
            receive("large");
        }
    }

    private static RendezvousKey key(int from, int to, String edge) {
        return RendezvousKey.of(PlannedTensor.device(from), PlannedTensor.device(to), edge);
    }

    private void receive(String edge) {
        synchronized (this) {
            pending++;
        }
        rendezvous.recvAsync(key(other, self, edge), result -> ended(edge, result));
    }

    private void ended(String edge, RecvResult result) {
        if (result instanceof RecvResult.Received(Tensor tensor)) {
            tensor.close();
            receive(edge);
        }
        synchronized (this) {
            pending--;
            if (result instanceof RecvResult.Failed(var cause)) {
                failures.merge(cause.code(), 1, Integer::sum);
                if (cause.code() != StatusCode.UNAVAILABLE && unexpected.isEmpty()) {
                    unexpected = " " + cause.getMessage();
                }
                if (pending == 0) {
                    launcher.tell("LOST " + failures + unexpected);
                }
            } else if (++arrived == 2 * LARGE_AT_A_TIME) {
                launcher.tell("MOVING");
            }
        }
    }

    /// What [#start()] leads to when the other node is lost.
    static String expectedFailures() {
        return "{UNAVAILABLE=" + (NEVER_SENT + LARGE_AT_A_TIME) + "}";
    }
}
