package io.tensorferry.verbs.device.software;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.config.SoftCarrier;

/// The tests of the device over TCP, repeated through shared memory.
class SharedMemoryDeviceTest extends SoftwareDeviceTest {
    @Override
    SoftCarrier carrier() {
        return SoftCarrier.SHARED;
    }

    /// The receiver copies written bytes once; the bytes of a READ go through the ring.
    @Override
    void checkCopies(SoftwareProvider counted) {
        assertThat(counted.payloadBytesShared()).isEqualTo(20L << 20);
        assertThat(counted.payloadBytesCopied()).isEqualTo(2L << 20);
        assertThat(counted.payloadBytesSent()).isZero();
        assertThat(counted.payloadBytesReceived()).isZero();
        assertThat(counted.sharedConnections()).isEqualTo(2);
        assertThat(counted.tcpConnections()).isZero();
    }
}
