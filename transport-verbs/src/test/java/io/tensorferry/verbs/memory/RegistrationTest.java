package io.tensorferry.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class RegistrationTest {
    private final RecordingDomain domain = new RecordingDomain();
    private final RegisteredMemory memory = new RegisteredMemory(domain, MemoryOptions.defaults());
    private final Arena arena = Arena.ofShared();
    private final MemorySegment user = arena.allocate(1000);

    @AfterEach
    void close() {
        memory.close();
        arena.close();
    }

    @Test
    void registeredUserMemoryIsFoundUntilItsRegistrationIsClosed() {
        Registration registration = memory.register(user);
        assertThat(memory.regionOf(user.address(), 1000)).isSameAs(registration.region());
        assertThat(memory.regionOf(user.address() + 999, 1)).isSameAs(registration.region());
        assertThat(memory.regionOf(user.address() + 999, 2)).isNull();
        assertThat(memory.regionOf(user.address() - 1, 2)).isNull();
        assertThat(memory.statistics().userRegions()).isEqualTo(1);
        assertThat(memory.statistics().slabs()).isZero();

        registration.close();
        registration.close();
        assertThat(memory.regionOf(user.address(), 1)).isNull();
        assertThat(memory.statistics().userRegions()).isZero();
        assertThat(domain.open()).isEmpty();
        assertThat(user.scope().isAlive()).isTrue();
    }

    @Test
    void registrationsMayOverlapAndOneThatHoldsTheWholeRangeIsFound() {
        Registration whole = memory.register(user);
        Registration head = memory.register(user.asSlice(0, 400));
        Registration middle = memory.register(user.asSlice(300, 300));
        Registration again = memory.register(user);

        assertThat(memory.regionOf(user.address() + 350, 500)).isIn(whole.region(), again.region());
        whole.close();
        assertThat(memory.regionOf(user.address() + 350, 500)).isSameAs(again.region());
        again.close();
        assertThat(memory.regionOf(user.address() + 350, 500)).isNull();
        assertThat(memory.regionOf(user.address() + 350, 250)).isSameAs(middle.region());
        assertThat(memory.regionOf(user.address() + 310, 90)).isIn(head.region(), middle.region());
        middle.close();
        assertThat(memory.regionOf(user.address() + 310, 90)).isSameAs(head.region());
        head.close();
    }

    @Test
    void peersMayWriteItUnlessItIsReadOnly() {
        try (Registration _ = memory.register(user);
                Registration _ = memory.register(user.asReadOnly())) {
            assertThat(domain.open().getFirst().access())
                    .containsExactlyInAnyOrder(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            assertThat(domain.open().getLast().access()).isEmpty();
        }
    }

    @Test
    void memoryThatNoDeviceCanReachIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> memory.register(MemorySegment.ofArray(new byte[8])))
                .withMessageContaining("off-heap");
        assertThatIllegalArgumentException().isThrownBy(() -> memory.register(user.asSlice(0, 0)));
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment segment = confined.allocate(8);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> memory.register(segment))
                    .withMessageContaining("confined");
        }
        assertThat(domain.registrations()).isZero();
    }

    @Test
    void closingTheMemoryEndsOpenRegistrationsAndRefusesNewOnes() {
        Registration registration = memory.register(user);
        memory.close();
        assertThat(domain.open()).isEmpty();
        registration.close();
        assertThatThrownBy(() -> memory.register(user)).isInstanceOf(TransportException.class);
        assertThat(domain.open()).isEmpty();
    }

    @Test
    void memoryThatCannotBePinnedIsExhaustionWithWhatTheDeviceSays() {
        domain.registerFailure = new VerbsException("ibv_reg_mr", VerbsException.ENOMEM, "too much for the limit");
        assertThatThrownBy(() -> memory.register(user))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("RESOURCE_EXHAUSTED")
                .hasMessageContaining("too much for the limit");
        assertThat(memory.statistics().userRegions()).isZero();
    }
}
