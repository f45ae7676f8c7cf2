package io.tensorferry.verbs.placement;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.verbs.placement.EdgeDecision.Static;
import java.util.Collection;
import java.util.List;

/// Edges for tests.
final class Edges {
    static final String JOB = "worker";

    private Edges() {}

    static DeviceName worker(int task) {
        return new DeviceName(JOB, 0, task, "CPU", 0);
    }

    static String workerName(int task) {
        return worker(task).worker();
    }

    /// Names an edge from worker 0 to worker 1.
    static RendezvousKey key(String edgeName) {
        return key(0, 1, edgeName);
    }

    static RendezvousKey key(int producer, int consumer, String edgeName) {
        return RendezvousKey.of(worker(producer), worker(consumer), edgeName);
    }

    /// An edge of `bytes` bytes from worker 0 to worker 1.
    static GraphEdge ofBytes(String edgeName, long bytes) {
        return GraphEdge.of(key(edgeName), DataType.UINT8, bytes);
    }

    static PlacementPlan planOneByOne(Collection<GraphEdge> edges) {
        return PlacementPlanner.plan(edges, PlacementOptions.defaults().withSteps(StepOrder.ONE_BY_ONE));
    }

    /// The plan of the only worker that receives.
    static WorkerPlan only(PlacementPlan plan) {
        List<WorkerPlan> workers = plan.workers();
        if (workers.size() != 1) {
            throw new AssertionError(workers.size() + " workers");
        }
        return workers.getFirst();
    }

    static Static place(PlacementPlan plan, String edgeName) {
        return (Static) plan.decision(key(edgeName));
    }
}
