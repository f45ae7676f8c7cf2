package io.tensorferry.verbs.statistics;

/// What the transport had on one accelerator at one moment.
///
/// @param device as keys name it, `GPU:0`
/// @param bytesToHost that were copied from it, to be sent
/// @param bytesFromHost that were copied to it, when they had been received
/// @param sendProxyBytes in use now for what is sent
/// @param receiveProxyBytes in use now for what is received
/// @param highWaterProxyBytes the most of each that were in use, added
/// @param proxyWaits proxies that had to be waited for
/// @param strandedBytes of proxies that are lost, because the accelerator failed while it copied
/// @param deviceBytesInUse of its own memory, that the transport has given out
/// @param directTensors that were sent from its memory, or received there, by the RDMA device itself
/// @param stagedTensors that were by way of proxies
/// @param direct how the RDMA device reaches its memory by itself, `by dmabuf` or `by address`; or `no`, and why
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
