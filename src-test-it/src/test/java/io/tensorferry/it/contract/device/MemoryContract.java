package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What can be registered and what cannot.
abstract class MemoryContract extends DeviceContract {
    private static final Set<AccessFlag> WRITABLE = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
    /// A number that no open file has.
    private static final int NO_FILE = 1_000_000_000;

    private static final int PAGE = 4096;

    @Test
    void memoryThatCannotBeRegisteredIsRefused() {
        makeEndpoints(settings -> {});
        assertThatIllegalArgumentException()
                .isThrownBy(() -> one.domain.register(one.memory, Set.of(AccessFlag.REMOTE_WRITE)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> one.domain.register(one.memory.asSlice(0, 0), Set.of(AccessFlag.LOCAL_WRITE)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> one.domain.register(MemorySegment.ofArray(new byte[8]), Set.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> one.domain.register(one.memory.asReadOnly(), WRITABLE));
    }

    @Test
    void aRegionKnowsWhereItIs() {
        makeEndpoints(settings -> {});
        assertThat(one.region.address()).isEqualTo(one.memory.address());
        assertThat(one.region.byteSize()).isEqualTo(one.memory.byteSize());
        assertThat(one.region.contains(one.memory.address(), one.memory.byteSize()))
                .isTrue();
        assertThat(one.region.contains(one.memory.address() + 1, one.memory.byteSize()))
                .isFalse();
    }

    @Test
    void theSameMemoryMayBeRegisteredTwice() {
        connect();
        fill(one.memory, 1);
        try (var second = one.domain.register(one.memory, WRITABLE)) {
            assertThat(second.remoteKey()).isNotEqualTo(one.region.remoteKey());
        }
        one.write(1, 0, 4096, other, 0);
        awaitCompletions(one, 1);
        assertSame(other.memory.asSlice(0, 4096), one.memory.asSlice(0, 4096));
    }

    @Test
    void aRegionMayBeginAtAnyByte() {
        connect();
        fill(one.memory, 1);
        fill(other.memory, 2);
        try (var odd = other.domain.register(other.memory.asSlice(4097, 101), WRITABLE);
                var arena = Arena.ofShared()) {
            var expected = arena.allocate(other.memory.byteSize()).copyFrom(other.memory);
            expected.asSlice(4097, 101).copyFrom(one.memory.asSlice(3, 101));
            one.queuePair.postSend(new SendWorkRequest()
                    .write(1, one.region.address() + 3, 101, one.region.localKey(), odd.address(), odd.remoteKey()));
            awaitCompletions(one, 1);
            assertSame(other.memory, expected);
        }
    }

    @Test
    void aDmabufThatMakesNoSenseIsRefused() {
        makeEndpoints(settings -> {});
        long address = PAGE * 16L;
        assertRefused(-1, 0, PAGE, address, WRITABLE);
        assertRefused(NO_FILE, -PAGE, PAGE, address, WRITABLE);
        assertRefused(NO_FILE, 0, 0, address, WRITABLE);
        assertRefused(NO_FILE, 0, -1, address, WRITABLE);
        assertRefused(NO_FILE, Long.MAX_VALUE - 10, PAGE, address + PAGE - 11, WRITABLE);
        assertRefused(NO_FILE, 8, PAGE, address, WRITABLE);
        assertRefused(NO_FILE, 0, PAGE, address, Set.of(AccessFlag.REMOTE_WRITE));
    }

    private void assertRefused(int file, long offset, long length, long address, Set<AccessFlag> access) {
        assertThatIllegalArgumentException()
                .as("file %d, offset %d, length %d, address %#x, %s", file, offset, length, address, access)
                .isThrownBy(() -> one.domain.registerDmabuf(file, offset, length, address, access));
    }

    /// Where the device knows dmabufs, it is the file that is wrong.
    @Test
    void aFileThatIsNoDmabufIsNotRegistered() {
        makeEndpoints(settings -> {});
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> one.domain.registerDmabuf(NO_FILE, 0, PAGE, PAGE * 16L, WRITABLE))
                .satisfies(
                        failure -> assertThat(failure.errno()).isIn(VerbsException.EOPNOTSUPP, VerbsException.EBADF));
        // What failed has left nothing behind that would keep the domain open.
        one.close();
        one = null;
    }
}
