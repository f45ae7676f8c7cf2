package io.tensorferry.grpc.cluster;

import io.tensorferry.api.DeviceName;
import java.util.Map;

/// Which worker of which cluster this process is, and how it speaks to the others. Immutable.
///
/// @param cluster all workers, this one too
/// @param job this worker's job
/// @param task this worker's task
/// @param protocol [#GRPC_VERBS] or [#GRPC]
public record ServerConfig(ClusterSpec cluster, String job, int task, String protocol) {
    /// Channels over gRPC, tensors by RDMA.
    public static final String GRPC_VERBS = "grpc+verbs";
    /// Tensors over gRPC too: needs no RDMA device.
    public static final String GRPC = "grpc";

    static final String TF_CONFIG = "TF_CONFIG";

    /// @throws IllegalArgumentException if the cluster has no such job or task, or there is no such protocol
    public ServerConfig {
        cluster.addressOf(job, task);
        if (!protocol.equals(GRPC_VERBS) && !protocol.equals(GRPC)) {
            throw new IllegalArgumentException(
                    "protocol '" + protocol + "' is unknown; it must be '" + GRPC_VERBS + "' or '" + GRPC + "'");
        }
    }

    /// Reads what TensorFlow's tools put into `TF_CONFIG`: the cluster, the own task, and optionally the protocol,
    /// [#GRPC_VERBS] where it is left out.
    ///
    /// @param json as `{"cluster": {"ps": ["host:2222"], "worker": {"0": "host:2223"}}, "task": {"type": "worker",
    ///     "index": 0}, "rpc_layer": "grpc+verbs"}`
    /// @throws IllegalArgumentException naming the field and the value that is wrong
    public static ServerConfig fromTfConfig(String json) {
        TfConfig config = TfConfig.parse(json);
        TfConfig.Task task = config.task();
        if (task == null) {
            throw new IllegalArgumentException("TF_CONFIG: field 'task' is missing; a server needs"
                    + " {\"type\": \"worker\", \"index\": 0} to know which worker it is");
        }
        String protocol = config.protocol();
        try {
            return new ServerConfig(
                    config.cluster(), task.job(), task.index(), protocol == null ? GRPC_VERBS : protocol);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("TF_CONFIG: " + e.getMessage(), e);
        }
    }

    /// Reads the environment variable `TF_CONFIG`.
    ///
    /// @throws IllegalArgumentException if it is not set, or as [#fromTfConfig]
    public static ServerConfig fromEnvironment() {
        return from(System.getenv());
    }

    static ServerConfig from(Map<String, String> environment) {
        String json = environment.get(TF_CONFIG);
        if (json == null || json.isBlank()) {
            throw new IllegalArgumentException("the environment variable " + TF_CONFIG
                    + " is not set; it must hold the cluster and the own task as JSON");
        }
        return fromTfConfig(json);
    }

    /// This worker's name, as `/job:worker/replica:0/task:1`.
    public String workerName() {
        return DeviceName.workerName(job, 0, task);
    }
}
