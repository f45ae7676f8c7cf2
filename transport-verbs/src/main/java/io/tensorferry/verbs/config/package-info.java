/// User configuration: the `RDMA_*` variables as an immutable [io.tensorferry.verbs.config.RdmaConfig], and the options
/// of memory, channels and accelerators. Depends only on the types of `verbs.device`.
package io.tensorferry.verbs.config;
