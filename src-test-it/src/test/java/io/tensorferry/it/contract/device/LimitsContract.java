package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.verbs.device.DeviceAttributes;
import io.tensorferry.verbs.device.DeviceDescription;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/// What a device says of its limits, what happens at them, and the order in which things are closed.
abstract class LimitsContract extends DeviceContract {
    /// Devices may round a depth up; by more than this they would not.
    private static final int MOST_ROUNDING = 4096;

    /// The longest message that a work request can name.
    private static final long MOST_LENGTH = 0xFFFF_FFFFL;

    /// The most memory that a test takes for one message, bytes.
    private static final long AFFORDABLE = 4 << 20;

    @Test
    void describesItself() {
        DeviceAttributes limits = fixture.first().attributes();
        assertThat(limits.portCount()).isPositive();
        assertThat(limits.maxWorkRequests()).isGreaterThanOrEqualTo(1024);
        assertThat(limits.maxCompletionQueueEntries()).isGreaterThanOrEqualTo(1024);
        assertThat(limits.maxQueuePairs()).isPositive();
        assertThat(limits.maxMemoryRegions()).isPositive();
        PortAttributes port = fixture.first().port(fixture.port());
        assertThat(port.state()).isEqualTo(PortAttributes.PortState.ACTIVE);
        assertThat(port.activeMtu()).isIn(256, 512, 1024, 2048, 4096);
        assertThat(port.maxMtu()).isIn(256, 512, 1024, 2048, 4096).isGreaterThanOrEqualTo(port.activeMtu());
        assertThat(port.lid()).isBetween(0, 0xFFFF);
        assertThat(port.subnetManagerLid()).isBetween(0, 0xFFFF);
        assertThat(port.lidMaskControl()).isBetween(0, 7);
        assertThat(port.maxMessageBytes()).isPositive();
        assertThat(port.gidTableLength()).isGreaterThan(fixture.gidIndex());
        assertThat(port.pkeyTableLength()).isPositive();
        assertThat(fixture.first().gid(fixture.port(), fixture.gidIndex()).gid().isZero())
                .isFalse();
        int partition = fixture.first().partitionKey(fixture.port(), 0);
        assertThat(partition).isBetween(0, 0xFFFF);
        assertThat(partition & 0x7FFF).as("a partition").isPositive();
        assertThat(fixture.first().name()).isNotEmpty();
    }

    @Test
    void describesItsMaker() {
        DeviceDescription description = fixture.first().description();
        assertThat(description.transport()).isNotNull();
        assertThat(description.firmwareVersion()).isNotNull();
        assertThat(description.vendorId()).isBetween(0, 0xFF_FFFF);
        assertThat(description)
                .as("the same device, opened again")
                .isEqualTo(fixture.second().description());
    }

    /// The memory need not be as long as the request says: a device that does not see that the message is too long
    /// finds that its bytes are not all there.
    @Test
    void aMessageLongerThanTheLargestIsNotSent() {
        long most = fixture.first().port(fixture.port()).maxMessageBytes();
        assumeTrue(most < MOST_LENGTH, "no length beyond the largest message can be asked for");
        connect(settings -> settings.bytes = Math.min(most + 1, AFFORDABLE));
        fill(one.memory, 1);
        fill(other.memory, 2);
        one.write(1, 0, Math.min(most, AFFORDABLE), other, 0);
        awaitCompletions(one, 1);
        fill(other.memory, 2);
        if (posted(() -> one.write(2, 0, most + 1, other, 0))) {
            awaitCompletions(one, 2);
            assertThat(one.completed.getLast().status()).isEqualTo(WorkStatus.LOC_LEN_ERR);
        }
        try (var arena = Arena.ofShared()) {
            var untouched = arena.allocate(other.memory.byteSize());
            fill(untouched, 2);
            assertSame(other.memory, untouched);
        }
    }

    private static boolean posted(Runnable post) {
        try {
            post.run();
            return true;
        } catch (VerbsException refused) {
            assertThat(refused.errno()).as(refused.getMessage()).isEqualTo(VerbsException.EINVAL);
            return false;
        }
    }

    @Test
    void aPortOrGidThatDoesNotExistIsAnError() {
        int ports = fixture.first().attributes().portCount();
        assertThatIllegalArgumentException().isThrownBy(() -> fixture.first().port(0));
        assertThatIllegalArgumentException().isThrownBy(() -> fixture.first().port(ports + 1));
        int length = fixture.first().port(fixture.port()).gidTableLength();
        assertThatIllegalArgumentException().isThrownBy(() -> fixture.first().gid(fixture.port(), length));
        assertThatIllegalArgumentException().isThrownBy(() -> fixture.first().gid(fixture.port(), -1));
        int keys = fixture.first().port(fixture.port()).pkeyTableLength();
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> fixture.first().partitionKey(fixture.port(), keys));
    }

    @Test
    void aSendQueueHoldsItsDepthAndThenIsFull() {
        connect(settings -> settings.sendDepth = 16);
        int posted = postUntilFull(() -> one.writeUnsignaled(1, 0, 8, other, 0));
        assertThat(posted).isGreaterThanOrEqualTo(16);
    }

    @Test
    void slotsOfUnsignaledRequestsAreFreeWhenALaterCompletionWasPolled() {
        connect(settings -> settings.sendDepth = 16);
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 15; i++) {
                one.writeUnsignaled(i, 0, 8, other, 0);
            }
            one.write(round, 0, 8, other, 0);
            awaitCompletions(one, round + 1);
        }
        assertThat(one.completed).extracting(Completion::status).containsOnly(WorkStatus.SUCCESS);
    }

    @Test
    void aSlotIsFreeOnlyWhenItsCompletionWasPolled() {
        connect(settings -> settings.sendDepth = 16);
        int held = postUntilFull(() -> one.write(1, 0, 8, other, 0));
        awaitCompletions(one, held);
        assertThatNoException().isThrownBy(() -> one.write(2, 0, 8, other, 0));
        awaitCompletions(one, held + 1);
    }

    @Test
    void aReceiveQueueHoldsItsDepthAndThenIsFull() {
        connect(settings -> settings.receiveDepth = 16);
        int held = postUntilFull(() -> other.queuePair.postReceive(1));
        assertThat(held).isGreaterThanOrEqualTo(16);
        one.signal(1, 0);
        awaitCompletions(other, 1);
        assertThatNoException().isThrownBy(() -> other.queuePair.postReceive(2));
    }

    private static int postUntilFull(Runnable post) {
        int[] posted = {0};
        assertErrno(VerbsException.ENOMEM, () -> {
            for (; posted[0] < MOST_ROUNDING; posted[0]++) {
                post.run();
            }
        });
        return posted[0];
    }

    @Test
    void depthsBeyondTheLimitAreRefused() {
        makeEndpoints(settings -> {});
        int most = one.device.attributes().maxWorkRequests();
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> one.domain.createQueuePair(
                        new QueuePairOptions(one.completions, one.completions, most + 1, 1)));
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> one.domain.createQueuePair(
                        new QueuePairOptions(one.completions, one.completions, 1, most + 1)));
        int entries = one.device.attributes().maxCompletionQueueEntries();
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> one.device.createCompletionQueue(entries + 1, null));
        assertThatExceptionOfType(VerbsException.class).isThrownBy(() -> one.device.createCompletionQueue(0, null));
    }

    @Test
    void aParentCannotBeClosedUnderItsChildren() {
        makeEndpoints(settings -> {});
        assertErrno(VerbsException.EBUSY, one.completions::close);
        assertErrno(VerbsException.EBUSY, one.channel::close);
        assertErrno(VerbsException.EBUSY, one.domain::close);
        one.queuePair.close();
        assertErrno(VerbsException.EBUSY, one.domain::close);
        assertErrno(VerbsException.EBUSY, one.channel::close);
        one.completions.close();
        one.channel.close();
        one.region.close();
        one.domain.close();
        one = null;
    }

    @Test
    void aDeviceCannotBeClosedUnderItsChildren() {
        makeEndpoints(settings -> {});
        assertErrno(VerbsException.EBUSY, one.device::close);
    }
}
