/// Partitioned tensors: matrices whose rows are spread over several workers and read row by row with RDMA READ.
package io.tensorferry.api.partition;
