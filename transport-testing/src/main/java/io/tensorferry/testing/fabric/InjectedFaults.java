package io.tensorferry.testing.fabric;

import io.tensorferry.verbs.device.WorkStatus;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// Scheduled failures of work requests, by node, in the order of injection.
///
/// Threading: the fabric's thread.
final class InjectedFaults {
    private final Map<String, Queue<WorkStatus>> sends = new HashMap<>();
    private final Map<String, Queue<WorkStatus>> receives = new HashMap<>();

    void addSend(String node, WorkStatus status) {
        sends.computeIfAbsent(node, _ -> new ArrayDeque<>()).add(requireFailure(status));
    }

    void addReceive(String node, WorkStatus status) {
        receives.computeIfAbsent(node, _ -> new ArrayDeque<>()).add(requireFailure(status));
    }

    /// The failure status of this node's completing send; null if it succeeds.
    @Nullable
    WorkStatus takeSend(String node) {
        return take(sends, node);
    }

    /// The failure status of this node's completing receive; null if it succeeds.
    @Nullable
    WorkStatus takeReceive(String node) {
        return take(receives, node);
    }

    private static @Nullable WorkStatus take(Map<String, Queue<WorkStatus>> faults, String node) {
        Queue<WorkStatus> waiting = faults.get(node);
        return waiting == null ? null : waiting.poll();
    }

    private static WorkStatus requireFailure(WorkStatus status) {
        if (status == WorkStatus.SUCCESS) {
            throw new IllegalArgumentException("SUCCESS is not a fault");
        }
        return status;
    }
}
