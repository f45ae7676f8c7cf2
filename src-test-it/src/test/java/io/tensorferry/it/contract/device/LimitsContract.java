package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.DeviceAttributes;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What a device says of its limits, what happens at them, and the order in which things are closed.
abstract class LimitsContract extends DeviceContract {
    /// Devices may round a depth up; by more than this they would not.
    private static final int MOST_ROUNDING = 4096;

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
        assertThat(port.maxMessageBytes()).isPositive();
        assertThat(port.gidTableLength()).isGreaterThan(fixture.gidIndex());
        assertThat(port.pkeyTableLength()).isPositive();
        assertThat(fixture.first().gid(fixture.port(), fixture.gidIndex()).gid().isZero()).isFalse();
        assertThat(fixture.first().name()).isNotEmpty();
    }

    @Test
    void aPortOrGidThatDoesNotExistIsAnError() {
        int ports = fixture.first().attributes().portCount();
        assertThatIllegalArgumentException().isThrownBy(() -> fixture.first().port(0));
        assertThatIllegalArgumentException().isThrownBy(() -> fixture.first().port(ports + 1));
        int length = fixture.first().port(fixture.port()).gidTableLength();
        assertThatIllegalArgumentException().isThrownBy(() -> fixture.first().gid(fixture.port(), length));
        assertThatIllegalArgumentException().isThrownBy(() -> fixture.first().gid(fixture.port(), -1));
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

    @Test
    void memoryThatCannotBeRegisteredIsRefused() {
        makeEndpoints(settings -> {});
        assertThatIllegalArgumentException()
                .isThrownBy(() -> one.domain.register(one.memory, Set.of(AccessFlag.REMOTE_WRITE)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> one.domain.register(one.memory.asSlice(0, 0), Set.of(AccessFlag.LOCAL_WRITE)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> one.domain.register(MemorySegment.ofArray(new byte[8]), Set.of()));
    }

    @Test
    void aRegionKnowsWhereItIs() {
        makeEndpoints(settings -> {});
        assertThat(one.region.address()).isEqualTo(one.memory.address());
        assertThat(one.region.byteSize()).isEqualTo(one.memory.byteSize());
        assertThat(one.region.contains(one.memory.address(), one.memory.byteSize())).isTrue();
        assertThat(one.region.contains(one.memory.address() + 1, one.memory.byteSize())).isFalse();
    }
}
