package io.tensorferry.grpc.cluster;

import io.tensorferry.api.DeviceName;
import java.util.Map;

/// Identifies this process as one worker of a cluster and selects the protocol. Immutable.
///
/// @param cluster all workers, including this one
/// @param job this worker's job
/// @param task this worker's task
/// @param protocol [#GRPC_VERBS] or [#GRPC]
public record ServerConfig(ClusterSpec cluster, String job, int task, String protocol) {
    /// Channels are set up over gRPC; tensors travel by RDMA.
    public static final String GRPC_VERBS = "grpc+verbs";
    /// Tensors travel over gRPC too; no RDMA device is needed.
    public static final String GRPC = "grpc";

    static final String TF_CONFIG = "TF_CONFIG";

    /// @throws IllegalArgumentException if the cluster has no such job or task, or the protocol is unknown
    public ServerConfig {
        cluster.addressOf(job, task);
        if (!protocol.equals(GRPC_VERBS) && !protocol.equals(GRPC)) {
            throw new IllegalArgumentException(
                    "protocol '" + protocol + "' is unknown; it must be '" + GRPC_VERBS + "' or '" + GRPC + "'");
        }
    }

    /// Parses TensorFlow's `TF_CONFIG`: the cluster, this worker's task, and optionally the protocol, by default
    /// [#GRPC_VERBS].
    ///
    /// @param json as `{"cluster": {"ps": ["host:2222"], "worker": {"0": "host:2223"}}, "task": {"type": "worker",
    ///     "index": 0}, "rpc_layer": "grpc+verbs"}`
    /// @throws IllegalArgumentException if a value is invalid; the message names the field and the value
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

    /// Parses the environment variable `TF_CONFIG`.
    ///
    /// @throws IllegalArgumentException if the variable is not set, or as for [#fromTfConfig]
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

    /// The name of this worker, as `/job:worker/replica:0/task:1`.
    public String workerName() {
        return DeviceName.workerName(job, 0, task);
    }
}
