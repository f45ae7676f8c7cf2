/// Everything that a user sets: the `RDMA_*` variables as an immutable [io.tensorferry.verbs.config.RdmaConfig], and
/// the
/// options of memory, channels and accelerators. Depends on the vocabulary of `verbs.device` alone.
package io.tensorferry.verbs.config;
