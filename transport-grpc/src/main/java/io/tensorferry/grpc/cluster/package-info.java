/// The description of a cluster: jobs, tasks, the addresses of workers, and the task of this worker.
///
/// Applications use it.
package io.tensorferry.grpc.cluster;
