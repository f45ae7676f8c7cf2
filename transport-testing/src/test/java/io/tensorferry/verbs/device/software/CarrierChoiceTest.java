package io.tensorferry.verbs.device.software;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The path of a queue pair to its peer, for all options of the two ends.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CarrierChoiceTest {
    private static final int DOCUMENTATION_ADDRESS = 0xC0_00_02_01;

    private static VerbsDevice open(SoftCarrier carrier) {
        return new SoftwareProvider(SoftwareOptions.defaults().withCarrier(carrier)).open("soft0");
    }

    @ParameterizedTest
    @CsvSource({
        "AUTO, AUTO, shared memory",
        "AUTO, SHARED, shared memory",
        "SHARED, AUTO, shared memory",
        "SHARED, SHARED, shared memory",
        "AUTO, TCP, TCP",
        "TCP, AUTO, TCP",
        "TCP, TCP, TCP"
    })
    void bothEndsDecide(SoftCarrier one, SoftCarrier other, String way) {
        try (VerbsDevice first = open(one);
                VerbsDevice second = open(other);
                var left = new SoftwareEnd(first, 1 << 20, 64);
                var right = new SoftwareEnd(second, 1 << 20, 64)) {
            SoftwareEnd.connect(left, right);
            left.memory.fill((byte) 7);
            left.write(1, 1 << 20, right);
            left.await(1);
            assertThat(left.statuses).containsExactly(WorkStatus.SUCCESS);
            assertThat(right.memory.mismatch(left.memory)).isEqualTo(-1);
            assertThat(left.queuePair.way()).isEqualTo(way);
        }
    }

    @ParameterizedTest
    @CsvSource({"SHARED, TCP", "TCP, SHARED"})
    void aPeerThatCannotBeReachedAsDemandedIsNotReached(SoftCarrier one, SoftCarrier other) {
        try (VerbsDevice first = open(one);
                VerbsDevice second = open(other);
                var left = new SoftwareEnd(first, 4096, 64);
                var right = new SoftwareEnd(second, 4096, 64)) {
            SoftwareEnd.connect(left, right);
            left.write(1, 4096, right);
            left.await(1);
            assertThat(left.statuses).containsExactly(WorkStatus.RETRY_EXC_ERR);
        }
    }

    @Test
    void anotherHostIsRefusedWhereOnlySharedMemoryIsAllowed() {
        try (VerbsDevice device = open(SoftCarrier.SHARED);
                var end = new SoftwareEnd(device, 4096, 64)) {
            end.queuePair.modify(QueuePairAttributes.to(QueuePairState.INIT)
                    .set(QueuePairAttribute.PKEY_INDEX, 0)
                    .set(QueuePairAttribute.PORT, 1)
                    .set(QueuePairAttribute.ACCESS_FLAGS, QueuePairAttributes.ACCESS_REMOTE_WRITE));
            QueuePairAttributes elsewhere = QueuePairAttributes.to(QueuePairState.RTR)
                    .address(new AddressHandle(Gid.ofIpv4(DOCUMENTATION_ADDRESS), 4711, 0, 0, 0, 64))
                    .set(QueuePairAttribute.PATH_MTU, 1024)
                    .set(QueuePairAttribute.DEST_QPN, 17)
                    .set(QueuePairAttribute.RQ_PSN, 77)
                    .set(QueuePairAttribute.MAX_DEST_RD_ATOMIC, 4)
                    .set(QueuePairAttribute.MIN_RNR_TIMER, 12);
            assertThatExceptionOfType(VerbsException.class)
                    .isThrownBy(() -> end.queuePair.modify(elsewhere))
                    .withMessageContaining("192.0.2.1 is on another host")
                    .withMessageContaining("RDMA_SOFT_CARRIER=shared");
            assertThat(end.queuePair.state()).isEqualTo(QueuePairState.INIT);
        }
    }
}
