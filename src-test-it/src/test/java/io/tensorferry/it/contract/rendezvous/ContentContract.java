package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Every kind of tensor arrives as it was sent.
abstract class ContentContract extends RendezvousContract {
    ContentContract(Protocol protocol) {
        super(protocol);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "STRING")
    void everyPlainTypeArrivesBitForBit(DataType dataType) throws Exception {
        Shape shape = Shape.of(3, 5, 7);
        // Twice: once with metadata that the receiver does not know, once with what it remembers.
        for (int step = 1; step <= 2; step++) {
            sending(step).send(key("a"), Contents.tensor(allocator(), dataType, shape, step));
            Contents.check(receiving(step).recv(key("a"), LIMIT), dataType, shape, step);
        }
    }

    @Test
    void everyRankArrives() throws Exception {
        for (int rank : new int[] {0, 1, 2, 3, 4, 5, 8, 31, Shape.MAX_RANK}) {
            long[] dimensions = new long[rank];
            Arrays.fill(dimensions, 1);
            for (int axis = 0; axis < Math.min(rank, 4); axis++) {
                dimensions[rank - 1 - axis] = axis + 2L;
            }
            Shape shape = Shape.of(dimensions);
            sending().send(key("rank " + rank), Contents.tensor(allocator(), DataType.FLOAT, shape, rank));
            Contents.check(receive("rank " + rank), DataType.FLOAT, shape, rank);
        }
    }

    @Test
    void emptyTensorsKeepTheirShape() throws Exception {
        for (Shape shape : List.of(Shape.of(0), Shape.of(0, 3), Shape.of(5, 0, Long.MAX_VALUE), Shape.of(1, 1, 1, 0))) {
            for (int step = 1; step <= 2; step++) {
                sending(step).send(key("a" + shape), allocator().allocate(DataType.DOUBLE, shape));
                Contents.check(receiving(step).recv(key("a" + shape), LIMIT), DataType.DOUBLE, shape, 0);
            }
        }
    }

    @Test
    void deadTensorsAreDead() throws Exception {
        for (int step = 1; step <= 2; step++) {
            sending(step).sendDead(key("a"));
            assertThat(receiving(step).recv(key("a"), LIMIT)).isEqualTo(new RecvResult.Dead());
        }
    }

    @Test
    void floatsKeepTheirBits() throws Exception {
        int[] bits = {0, 0x8000_0000, 0x7F80_0000, 0x7FC0_0001, 0xFFFF_FFFF, 1, Float.floatToIntBits(1.5f)};
        Tensor sent = allocator().allocate(DataType.FLOAT, Shape.of(bits.length));
        HostView.write(sent, memory -> memory.copyFrom(MemorySegment.ofArray(bits)));
        sending().send(key("a"), sent);

        try (Tensor received = receive("a").tensorOrThrow()) {
            HostView.read(
                    received,
                    memory -> assertThat(memory.toArray(ValueLayout.JAVA_INT)).containsExactly(bits));
        }
    }

    @Test
    void stringsOfAnyLengthArrive() throws Exception {
        for (int step = 1; step <= 2; step++) {
            sending(step).send(key("scalar"), Contents.strings(allocator(), Shape.scalar(), "only"));
            sending(step)
                    .send(
                            key("some"),
                            Contents.strings(allocator(), Shape.of(2, 2), "", "a", "h\u00e9llo", "x".repeat(70_000)));
            sending(step).send(key("none"), Contents.strings(allocator(), Shape.of(0)));

            assertThat(Contents.strings(receiving(step).recv(key("scalar"), LIMIT)))
                    .containsExactly("only");
            assertThat(Contents.strings(receiving(step).recv(key("some"), LIMIT)))
                    .containsExactly("", "a", "h\u00e9llo", "x".repeat(70_000));
            assertThat(Contents.strings(receiving(step).recv(key("none"), LIMIT)))
                    .isEmpty();
        }
    }

    @Test
    void stringsMayHoldAnyBytes() throws Exception {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        sending().send(key("a"), Contents.strings(allocator(), Shape.of(2), List.of(all, new byte[3])));

        try (Tensor received = receive("a").tensorOrThrow()) {
            assertThat(received.shape()).isEqualTo(Shape.of(2));
            assertThat(received.toStrings()).containsExactly(all, new byte[3]);
        }
    }

    @Test
    void manyStringsArrive() throws Exception {
        String[] elements =
                IntStream.range(0, 100_000).mapToObj(i -> "element " + i).toArray(String[]::new);
        sending().send(key("a"), Contents.strings(allocator(), Shape.of(elements.length), elements));

        assertThat(Contents.strings(receive("a")))
                .isEqualTo(Arrays.stream(elements).collect(Collectors.toList()));
    }

    @Test
    void aLongKeyIsAKeyLikeAnyOther() throws Exception {
        String edge = "e".repeat(1500);
        send(edge, 4);

        assertThat(Contents.number(receive(edge))).isEqualTo(4);
    }
}
