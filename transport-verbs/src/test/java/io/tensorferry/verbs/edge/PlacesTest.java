package io.tensorferry.verbs.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.StaticEdge;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.memory.RecordingDomain;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.memory.Registration;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class PlacesTest {
    private static final StaticEdge EDGE = StaticEdge.of(
                    RendezvousKey.parse("/job:worker/replica:0/task:1/device:CPU:0;0000000000000000;"
                            + "/job:worker/replica:0/task:0/device:CPU:0;edge;0:0"),
                    DataType.UINT8,
                    Shape.of(100))
            .doubleBuffered();
    private static final StaticEdge EMPTY =
            new StaticEdge(EDGE.key(), DataType.UINT8, Shape.of(0), 2, StaticEdge.Reuse.CREDIT);

    private final RegisteredMemory memory =
            new RegisteredMemory(new RecordingDomain(), new MemoryOptions(1 << 20, 1 << 20));

    @AfterEach
    void close() {
        memory.close();
    }

    private long inUse() {
        return memory.statistics().bytesInUse();
    }

    @Test
    void placesFollowEachOtherInThePool() {
        Places places = Places.allocate(EDGE, memory);
        NamedMemory named = places.named();
        assertThat(named.length()).isEqualTo(256);
        assertThat(named.address() % StaticEdge.PLACE_ALIGNMENT).isZero();
        for (long sequence = 0; sequence < 5; sequence++) {
            Tensor tensor = places.tensor(sequence);
            assertThat(tensor.byteSize()).isEqualTo(100);
            assertThat(tensor.segment().address()).isEqualTo(named.address() + sequence % 2 * 128);
        }
        places.peerIsDone();
        places.consumerIsDone();
        assertThat(inUse()).isZero();
    }

    @Test
    void memoryGoesBackWhenPeerAndConsumerHaveLetGoInAnyOrder() {
        for (boolean peerFirst : new boolean[] {true, false}) {
            Places places = Places.allocate(EDGE, memory);
            if (peerFirst) {
                places.peerIsDone();
            } else {
                places.consumerIsDone();
            }
            assertThat(inUse()).isPositive();
            if (peerFirst) {
                places.consumerIsDone();
            } else {
                places.peerIsDone();
            }
            assertThat(inUse()).isZero();
        }
    }

    @Test
    void aHandleThatSomebodySharesKeepsTheMemory() {
        Places places = Places.allocate(EDGE, memory);
        Tensor shared = places.tensor(1).share();
        places.peerIsDone();
        places.consumerIsDone();
        assertThat(inUse()).isPositive();
        shared.segment().fill((byte) 1);
        shared.close();
        assertThat(inUse()).isZero();
    }

    @Test
    void aHandleThatTheTakerClosedIsMadeAgain() {
        Places places = Places.allocate(EDGE, memory);
        for (long sequence = 0; sequence < 6; sequence++) {
            Tensor tensor = places.tensor(sequence);
            assertThat(tensor.isClosed()).isFalse();
            tensor.close();
            assertThat(inUse()).isPositive();
        }
        places.consumerIsDone();
        assertThat(inUse()).isPositive();
        places.peerIsDone();
        assertThat(inUse()).isZero();
    }

    @Test
    void nothingIsTakenBehindTheEnd() {
        Places places = Places.allocate(EDGE, memory);
        places.peerIsDone();
        places.consumerIsDone();
        assertThatIllegalStateException().isThrownBy(() -> places.tensor(0)).withMessageContaining("is closed");
        assertThat(inUse()).isZero();
    }

    @Test
    void aTensorWithoutElementsTakesNoMemory() {
        for (Places places : List.of(Places.allocate(EMPTY, memory), Places.in(MemorySegment.NULL, EMPTY, memory))) {
            assertThat(places.named()).isNull();
            assertThat(places.tensor(3).byteSize()).isZero();
            places.peerIsDone();
            places.consumerIsDone();
        }
        assertThat(memory.statistics().slabBytes()).isZero();
    }

    @Test
    void memoryOfTheUserIsUsedAsItIs() {
        try (var arena = Arena.ofShared();
                Registration registration = memory.register(arena.allocate(4096, 4096))) {
            MemorySegment given = registration.memory().asSlice(64, 256);
            Places places = Places.in(given, EDGE, memory);
            assertThat(places.named().address()).isEqualTo(given.address());
            assertThat(places.named().length()).isEqualTo(256);
            assertThat(places.tensor(1).segment().address()).isEqualTo(given.address() + 128);
            places.peerIsDone();
            places.consumerIsDone();
            given.fill((byte) 1);
            assertThat(inUse()).isZero();
        }
    }

    @Test
    void memoryOfTheUserThatDoesNotSuitIsRefused() {
        try (var arena = Arena.ofShared();
                Registration registration = memory.register(arena.allocate(4096, 4096))) {
            MemorySegment all = registration.memory();
            for (long size : new long[] {0, 255, 257, 128}) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> Places.in(all.asSlice(0, size), EDGE, memory))
                        .withMessageContaining("takes 256 bytes, the memory has " + size);
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Places.in(all.asSlice(32, 256), EDGE, memory))
                    .withMessageContaining("multiple of 64");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Places.in(arena.allocate(256, 64), EDGE, memory))
                    .withMessageContaining("is not registered");
        }
    }

    @Test
    void aPoolThatIsFullRefuses() {
        StaticEdge huge = new StaticEdge(EDGE.key(), DataType.UINT8, Shape.of(2 << 20), 1, StaticEdge.Reuse.CREDIT);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> Places.allocate(huge, memory))
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
        assertThat(inUse()).isZero();
    }
}
