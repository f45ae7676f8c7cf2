/// How fast tensors arrive, over each path that they can take, measured side by side in one run.
///
/// What all benchmarks share is here: a [io.tensorferry.it.benchmark.TransferPath] that is measured, the rounds, the
/// ratios and their spread, and the report. The rooms:
///
/// | package | has |
/// |---|---|
/// | `contest` | tensors between two processes of one host, over all paths there are |
/// | `exchange` | what a path of `contest` consists of |
/// | `rendezvous`, `grpc`, `flight`, `ucx`, `limit` | those paths |
/// | `verbs` | this library beside C on an RDMA device |
/// | `growth` | how cost grows with the number of receives, peers, tensors and bytes |
/// | `chart` | the charts of all of them, as SVG files |
package io.tensorferry.it.benchmark;
