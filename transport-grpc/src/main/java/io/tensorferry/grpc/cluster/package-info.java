/// The description of a cluster: jobs, tasks, the addresses of workers, and the task of this worker.
///
/// Part of the API for applications.
package io.tensorferry.grpc.cluster;
