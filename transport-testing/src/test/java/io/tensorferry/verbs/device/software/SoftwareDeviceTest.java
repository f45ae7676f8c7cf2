package io.tensorferry.verbs.device.software;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.verbs.CapturedLog;
import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.loop.DeviceEventLoop;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SoftwareDeviceTest {
    private final SoftCarrier carrier = carrier();
    private final SoftwareProvider provider = new SoftwareProvider(
            SoftwareOptions.defaults().withMaxMessageBytes(1 << 20).withCarrier(carrier));
    private VerbsDevice first;
    private VerbsDevice second;

    SoftCarrier carrier() {
        return SoftCarrier.TCP;
    }

    @BeforeEach
    void open() {
        first = provider.open("soft0");
        second = provider.open("soft0");
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    @Test
    void isCalledSoft0AndListensOnLoopback() {
        assertThat(provider.deviceNames()).containsExactly("soft0");
        assertThat(first.name()).isEqualTo("soft0");
        GidEntry entry = first.gid(1, 0);
        assertThat(entry.gid()).hasToString("::ffff:127.0.0.1");
        assertThat(entry.type()).isEqualTo(GidEntry.Type.ROCE_V2);
        assertThat(first.port(1).lid()).isNotEqualTo(second.port(1).lid());
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> provider.open("mlx5_0"))
                .satisfies(failure -> assertThat(failure.errno()).isEqualTo(VerbsException.ENODEV));
    }

    @Test
    void listensOnlyWhereAnAddressSays() {
        SoftwareOptions options = SoftwareOptions.defaults().withCarrier(carrier);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.withBindAddress(InetAddress.ofLiteral("0.0.0.0")));
        assertThatIllegalArgumentException().isThrownBy(() -> options.withBindAddress(InetAddress.ofLiteral("::1")));
        var elsewhere = new SoftwareProvider(options.withBindAddress(InetAddress.ofLiteral("127.0.0.2")));
        try (VerbsDevice device = elsewhere.open("soft0");
                var one = new SoftwareEnd(device, 4096, 16);
                var other = new SoftwareEnd(first, 4096, 16)) {
            assertThat(device.gid(1, 0).gid()).hasToString("::ffff:127.0.0.2");
            SoftwareEnd.connect(one, other);
            one.write(1, 4096, other);
            other.write(2, 4096, one);
            one.await(1);
            other.await(1);
            assertThat(one.statuses).containsExactly(WorkStatus.SUCCESS);
            assertThat(other.statuses).containsExactly(WorkStatus.SUCCESS);
        }
    }

    @Test
    void closesInSilenceAgainAndAgain() {
        try (var log = CapturedLog.of(DeviceEventLoop.class)) {
            for (int round = 0; round < 100; round++) {
                try (VerbsDevice here = provider.open("soft0");
                        VerbsDevice there = provider.open("soft0");
                        var one = new SoftwareEnd(here, 4096, 16);
                        var other = new SoftwareEnd(there, 4096, 16)) {
                    SoftwareEnd.connect(one, other);
                    one.write(1, 64, other);
                    one.await(1);
                }
            }
            assertThat(log.errors()).isEmpty();
        }
    }

    @Test
    void copiesNoPayloadWithoutNeed() {
        try (var one = new SoftwareEnd(first, 1 << 20, 64);
                var other = new SoftwareEnd(second, 1 << 20, 64)) {
            SoftwareEnd.connect(one, other);
            one.memory.fill((byte) 3);
            for (int i = 0; i < 20; i++) {
                one.write(i, 1 << 20, other);
            }
            one.read(20, 1 << 20, other);
            one.await(21);
            assertThat(one.statuses).containsOnly(WorkStatus.SUCCESS);
            assertThat(other.memory.mismatch(one.memory)).isEqualTo(-1);
            assertThat(one.queuePair.way()).isEqualTo(carrier == SoftCarrier.TCP ? "TCP" : "shared memory");
            checkCopies(provider);
        }
    }

    /// After writes of 20 MiB and a READ of 1 MiB.
    void checkCopies(SoftwareProvider counted) {
        assertThat(counted.payloadBytesCopied()).isZero();
        assertThat(counted.payloadBytesShared()).isZero();
        assertThat(counted.payloadBytesSent()).isEqualTo(21L << 20);
        assertThat(counted.payloadBytesReceived()).isEqualTo(21L << 20);
        assertThat(counted.sharedConnections()).isZero();
        assertThat(counted.tcpConnections()).isEqualTo(2);
    }

    @Test
    void aMessageBeyondTheLimitFailsLocally() {
        try (var one = new SoftwareEnd(first, 2 << 20, 64);
                var other = new SoftwareEnd(second, 2 << 20, 64)) {
            SoftwareEnd.connect(one, other);
            one.write(1, 1 << 20, other);
            one.write(2, (1 << 20) + 1, other);
            one.await(2);
            assertThat(one.statuses).containsExactly(WorkStatus.SUCCESS, WorkStatus.LOC_LEN_ERR);
        }
    }

    @Test
    void anOverrunCompletionQueueFailsItsQueuePairs() {
        try (var one = new SoftwareEnd(first, 4096, 4);
                var other = new SoftwareEnd(second, 4096, 64)) {
            SoftwareEnd.connect(one, other);
            for (int i = 0; i < 5; i++) {
                one.write(i, 16, other);
            }
            one.await(() -> one.events.size() == 2, "two events");
            assertThat(one.events)
                    .containsExactly(
                            new AsyncEvent(AsyncEvent.Type.CQ_ERR, 0),
                            new AsyncEvent(AsyncEvent.Type.QP_FATAL, one.queuePair.number()));
            assertThat(one.queuePair.state()).isEqualTo(QueuePairState.ERR);
            assertThatExceptionOfType(VerbsException.class)
                    .isThrownBy(() -> one.completions.poll(1, cursor -> {}))
                    .satisfies(failure -> assertThat(failure.errno()).isEqualTo(VerbsException.EIO));
        }
    }

    @Test
    void saysThatCommunicationWasEstablished() {
        try (var one = new SoftwareEnd(first, 4096, 16);
                var other = new SoftwareEnd(second, 4096, 16)) {
            one.connectTo(other);
            other.connectTo(one);
            one.readyToSend();
            one.write(1, 16, other);
            one.await(1);
            assertThat(other.events)
                    .containsExactly(new AsyncEvent(AsyncEvent.Type.COMM_EST, other.queuePair.number()));
        }
    }

    @Test
    void aRegionThatIsClosedUnderATransferIsLeftAlone() {
        try (var one = new SoftwareEnd(first, 1 << 20, 64);
                var other = new SoftwareEnd(second, 1 << 20, 64)) {
            SoftwareEnd.connect(one, other);
            one.memory.fill((byte) 1);
            for (int i = 0; i < 32; i++) {
                one.write(i, 1 << 20, other);
            }
            other.region.close();
            other.memory.fill((byte) 9);
            one.await(32);
            assertThat(other.memory.asSlice(1).mismatch(other.memory.asSlice(0, (1 << 20) - 1)))
                    .isEqualTo(-1);
            assertThat(one.statuses.getLast()).isIn(WorkStatus.REM_ACCESS_ERR, WorkStatus.WR_FLUSH_ERR);
        }
    }

    @Test
    void aDeviceReachesItself() {
        try (var one = new SoftwareEnd(first, 1 << 20, 64);
                var other = new SoftwareEnd(first, 1 << 20, 64)) {
            SoftwareEnd.connect(one, other);
            one.memory.fill((byte) 5);
            one.write(1, 1 << 20, other);
            one.await(1);
            assertThat(other.memory.mismatch(one.memory)).isEqualTo(-1);
        }
    }
}
