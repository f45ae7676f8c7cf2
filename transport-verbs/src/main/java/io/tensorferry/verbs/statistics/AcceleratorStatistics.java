package io.tensorferry.verbs.statistics;

/// A snapshot of the transport's use of one accelerator. Immutable.
///
/// @param device the accelerator's name in rendezvous keys, for example `GPU:0`
/// @param bytesToHost bytes copied from the accelerator to be sent
/// @param bytesFromHost received bytes copied to the accelerator
/// @param sendProxyBytes proxy bytes in use now for sends
/// @param receiveProxyBytes proxy bytes in use now for receives
/// @param highWaterProxyBytes sum of the high-water marks of both directions
/// @param proxyWaits proxies whose allocation had to wait
/// @param strandedBytes bytes of proxies that are lost because the accelerator failed during a copy
/// @param deviceBytesInUse bytes of accelerator memory that the transport has allocated to tensors
/// @param directTensors tensors that the RDMA device sent from, or received into, accelerator memory directly
/// @param stagedTensors tensors that were staged through proxies
/// @param direct how the RDMA device reaches accelerator memory: `by dmabuf`, `by address`, or `no` with the reason
public record AcceleratorStatistics(
        String device,
        long bytesToHost,
        long bytesFromHost,
        long sendProxyBytes,
        long receiveProxyBytes,
        long highWaterProxyBytes,
        long proxyWaits,
        long strandedBytes,
        long deviceBytesInUse,
        long directTensors,
        long stagedTensors,
        String direct) {}
