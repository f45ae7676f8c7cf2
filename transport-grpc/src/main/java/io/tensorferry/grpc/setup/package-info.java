/// Sets up RDMA channels over gRPC: queue pair and memory region addresses of both ends, and the confirmation.
package io.tensorferry.grpc.setup;
