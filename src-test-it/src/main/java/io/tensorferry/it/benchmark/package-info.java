/// Benchmarks of receiving tensors, over each available path, measured side by side in one run.
///
/// This package holds the common parts: the measured [io.tensorferry.it.benchmark.TransferPath], rounds, ratios with
/// their spread, and the report. The other packages:
///
/// | package | content |
/// |---|---|
/// | `contest` | tensors between two processes of one host, over all paths |
/// | `exchange` | the parts of a path of `contest` |
/// | `rendezvous`, `grpc`, `flight`, `ucx`, `limit` | these paths |
/// | `verbs` | this library beside C on an RDMA device |
/// | `growth` | the growth of cost with the number of receives, peers, tensors and bytes |
/// | `chart` | the charts of all benchmarks, as SVG files |
package io.tensorferry.it.benchmark;
