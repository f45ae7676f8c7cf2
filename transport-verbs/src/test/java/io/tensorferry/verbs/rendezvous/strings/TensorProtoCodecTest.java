package io.tensorferry.verbs.rendezvous.strings;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnknownFieldSet;
import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.proto.TensorProto;
import io.tensorferry.proto.TensorShapeProto;
import io.tensorferry.testing.Property;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class TensorProtoCodecTest {
    private static final TensorAllocator ALLOCATOR = TensorAllocator.unregistered();

    @Test
    void theBytesAreProtobufsOwn() {
        Property.check(500, draw -> {
            List<byte[]> elements = draw.list(0, 40, () -> draw.bytes(255));
            try (Tensor tensor = ALLOCATOR.allocateStrings(Shape.of(elements.size()), elements)) {
                byte[] expected = proto(elements, elements.size()).toByteArray();
                assertThat(encode(tensor)).isEqualTo(expected);
                assertThat(decode(expected, Shape.of(elements.size()))).containsExactlyElementsOf(elements);
            }
        });
    }

    @Test
    void anyShapeTravels() {
        for (Shape shape :
                List.of(Shape.scalar(), Shape.of(0), Shape.of(1L << 40, 0), Shape.of(2, 1, 3), Shape.of(300))) {
            var elements = new ArrayList<byte[]>();
            for (long i = 0; i < shape.elementCount(); i++) {
                elements.add(("element " + i).repeat((int) i).getBytes(UTF_8));
            }
            try (Tensor tensor = ALLOCATOR.allocateStrings(shape, elements)) {
                byte[] bytes = encode(tensor);
                assertThat(bytes).isEqualTo(proto(elements, shape.toArray()).toByteArray());
                assertThat(decode(bytes, shape)).containsExactlyElementsOf(elements);
            }
        }
    }

    @Test
    void longElementsTravel() {
        byte[] large = new byte[5_000_000];
        new SplittableRandom(1).nextBytes(large);
        List<byte[]> elements = List.of(large, new byte[0], "end".getBytes(UTF_8));
        try (Tensor tensor = ALLOCATOR.allocateStrings(Shape.of(3), elements)) {
            assertThat(decode(encode(tensor), Shape.of(3))).containsExactlyElementsOf(elements);
        }
    }

    @Test
    void whatProtobufAcceptsIsRead() throws IOException {
        // Fields in another order, a field of a later version, and dimensions that are not packed.
        byte[] unknown = UnknownFieldSet.newBuilder()
                .addField(
                        9,
                        UnknownFieldSet.Field.newBuilder()
                                .addVarint(1)
                                .addFixed32(2)
                                .addFixed64(3)
                                .addLengthDelimited(ByteString.copyFromUtf8("later"))
                                .build())
                .build()
                .toByteArray();
        ByteString.Output bytes = ByteString.newOutput();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeByteArray(TensorProto.STRING_VAL_FIELD_NUMBER, "a".getBytes(UTF_8));
        out.writeRawBytes(unknown);
        out.writeTag(TensorProto.SHAPE_FIELD_NUMBER, 2);
        out.writeUInt32NoTag(4);
        out.writeInt64(TensorShapeProto.DIM_FIELD_NUMBER, 1);
        out.writeInt64(TensorShapeProto.DIM_FIELD_NUMBER, 2);
        out.writeByteArray(TensorProto.STRING_VAL_FIELD_NUMBER, "bc".getBytes(UTF_8));
        out.writeInt32(TensorProto.DTYPE_FIELD_NUMBER, 7);
        out.flush();

        byte[] content = bytes.toByteString().toByteArray();

        assertThat(TensorProto.parseFrom(content).getStringValCount()).isEqualTo(2);
        assertThat(decode(content, Shape.of(1, 2))).containsExactly("a".getBytes(UTF_8), "bc".getBytes(UTF_8));
    }

    @Test
    void anotherTensorThanAnnouncedIsRefused() {
        List<byte[]> two = List.of("a".getBytes(UTF_8), "b".getBytes(UTF_8));
        assertRefused(proto(two, 3).toByteArray(), Shape.of(3), StatusCode.INVALID_ARGUMENT, "2 elements, expected 3");
        assertRefused(proto(two, 2).toByteArray(), Shape.of(2, 1), StatusCode.INVALID_ARGUMENT, "rank is 1");
        assertRefused(proto(two, 2, 1).toByteArray(), Shape.of(2), StatusCode.INVALID_ARGUMENT, "dimension 1 is 1");
        assertRefused(proto(two, 4).toByteArray(), Shape.of(2), StatusCode.INVALID_ARGUMENT, "dimension 0 is 4");
        assertRefused(
                proto(two, 2).toBuilder().setDtype(1).build().toByteArray(),
                Shape.of(2),
                StatusCode.INVALID_ARGUMENT,
                "data type is 1");
        assertRefused(new byte[0], Shape.scalar(), StatusCode.INVALID_ARGUMENT, "data type is 0");
    }

    @Test
    void anElementCountThatNobodyCouldSendAllocatesNothing() {
        assertRefused(
                proto(List.of(), 1L << 60).toByteArray(),
                Shape.of(1L << 60),
                StatusCode.INVALID_ARGUMENT,
                "0 elements, expected " + (1L << 60));
    }

    @Test
    void brokenBytesAreDataLoss() {
        for (String hex : List.of(
                "22",
                "2205",
                "22ffffffffffffffffff01",
                "22ffffffffffffffffffff01",
                "00",
                "0b",
                "0f",
                "11ff",
                "15ff",
                "1204220100")) {
            assertRefused(HexFormat.of().parseHex(hex), Shape.of(1), StatusCode.DATA_LOSS, "broken near byte");
        }
        TensorMetaData longer = new TensorMetaData(DataType.STRING, Shape.of(1), false, 100);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> TensorProtoCodec.decode(MemorySegment.ofArray(new byte[99]), longer, ALLOCATOR))
                .withMessageContaining("99 of the 100 bytes");
    }

    @Test
    void mutatedBytesAreATensorOrRefused() {
        long seed = 0x57A1E;
        var random = new SplittableRandom(seed);
        byte[] valid = proto(List.of("abc".getBytes(UTF_8), new byte[0], "defg".getBytes(UTF_8)), 3)
                .toByteArray();
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = Arrays.copyOf(valid, random.nextInt(4) == 0 ? random.nextInt(40) : valid.length);
            for (int changes = random.nextInt(4); changes > 0 && bytes.length > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(decode(bytes, Shape.of(3))).hasSize(3);
            } catch (TransportException e) {
                assertThat(e.code()).isIn(StatusCode.DATA_LOSS, StatusCode.INVALID_ARGUMENT);
            } catch (RuntimeException | Error e) {
                throw new AssertionError(
                        "seed %d, input %d: %s"
                                .formatted(seed, i, HexFormat.of().formatHex(bytes)),
                        e);
            }
        }
    }

    @Test
    void bytesThatChangeBetweenTheTwoPassesAreRefusedAndTheTensorIsClosed() {
        byte[] bytes =
                proto(List.of("abc".getBytes(UTF_8), "de".getBytes(UTF_8)), 2).toByteArray();
        MemorySegment source = MemorySegment.ofArray(bytes);
        int lengthOfFirst = bytes.length - 8;
        assertThat(bytes[lengthOfFirst]).isEqualTo((byte) 3);
        var freed = new ArrayList<String>();
        for (int newLength : new int[] {0, 2, 4, 5, 6, 127}) {
            // Allocation happens between the passes.
            TensorAllocator changing = (dataType, shape, byteSize) -> {
                source.set(ValueLayout.JAVA_BYTE, lengthOfFirst, (byte) newLength);
                return Tensor.wrap(dataType, shape, Arena.ofAuto().allocate(byteSize), () -> freed.add("freed"));
            };
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> TensorProtoCodec.decode(source, metaData(Shape.of(2), bytes.length), changing))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.DATA_LOSS));
            source.set(ValueLayout.JAVA_BYTE, lengthOfFirst, (byte) 3);
        }
        assertThat(freed).hasSize(6);
    }

    @Test
    void memoryThatHoldsNoElementsIsRefused() {
        for (long[] offsets :
                new long[][] {{0, 5, 4}, {-1, 0, 0}, {0, 0, 9}, {0, Long.MAX_VALUE, 8}, {0, 4, Long.MIN_VALUE}}) {
            try (Tensor tensor = ALLOCATOR.allocate(DataType.STRING, Shape.of(2), 24 + 8)) {
                tensor.segment().copyFrom(MemorySegment.ofArray(offsets));
                assertThatExceptionOfType(TransportException.class)
                        .isThrownBy(() -> TensorProtoCodec.serializedSize(tensor))
                        .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
            }
        }
        try (Tensor tensor = ALLOCATOR.allocate(DataType.STRING, Shape.of(1L << 61), 64)) {
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> TensorProtoCodec.serializedSize(tensor))
                    .withMessageContaining("no room");
        }
    }

    @Test
    void moreThanProtobufCanHoldIsRefused(@TempDir Path directory) throws IOException {
        long bytes = TensorProtoCodec.MAX_BYTES + 100;
        try (var file = FileChannel.open(
                        directory.resolve("sparse"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
                var arena = Arena.ofShared()) {
            // A sparse file: only the page of the offsets ever exists.
            MemorySegment memory = file.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
            for (long length : new long[] {TensorProtoCodec.MAX_BYTES, TensorProtoCodec.MAX_BYTES - 9}) {
                memory.set(ValueLayout.JAVA_LONG, 8, length);
                try (Tensor tensor = Tensor.wrap(DataType.STRING, Shape.scalar(), memory, () -> {})) {
                    assertThatExceptionOfType(TransportException.class)
                            .isThrownBy(() -> TensorProtoCodec.serializedSize(tensor))
                            .withMessageContaining("limit is 2147483647");
                }
            }
            memory.set(ValueLayout.JAVA_LONG, 8, TensorProtoCodec.MAX_BYTES - 10);
            try (Tensor tensor = Tensor.wrap(DataType.STRING, Shape.scalar(), memory, () -> {})) {
                assertThat(TensorProtoCodec.serializedSize(tensor)).isEqualTo(TensorProtoCodec.MAX_BYTES);
            }
        }
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> TensorProtoCodec.decode(
                        MemorySegment.NULL, metaData(Shape.scalar(), TensorProtoCodec.MAX_BYTES + 1), ALLOCATOR))
                .withMessageContaining("exceed a TensorProto's limit");
    }

    @Test
    void tensorsThatTravelAsTheyAreHaveNoSerialisedForm() {
        try (Tensor tensor = ALLOCATOR.allocate(DataType.FLOAT, Shape.of(2))) {
            assertThatIllegalArgumentException().isThrownBy(() -> TensorProtoCodec.serializedSize(tensor));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TensorProtoCodec.decode(MemorySegment.NULL, TensorMetaData.ofDead(), ALLOCATOR));
        try (Tensor tensor = ALLOCATOR.allocateStrings(Shape.scalar(), List.of(new byte[3]))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> TensorProtoCodec.encode(tensor, MemorySegment.ofArray(new byte[8])))
                    .withMessageContaining("9 bytes");
        }
    }

    private static TensorProto proto(List<byte[]> elements, long... dimensions) {
        var shape = TensorShapeProto.newBuilder();
        for (long dimension : dimensions) {
            shape.addDim(dimension);
        }
        var proto = TensorProto.newBuilder().setDtype(DataType.STRING.number()).setShape(shape);
        elements.forEach(element -> proto.addStringVal(ByteString.copyFrom(element)));
        return proto.build();
    }

    private static byte[] encode(Tensor tensor) {
        byte[] bytes = new byte[Math.toIntExact(TensorProtoCodec.serializedSize(tensor)) + 3];
        TensorProtoCodec.encode(tensor, MemorySegment.ofArray(bytes));
        assertThat(bytes[bytes.length - 1])
                .as("nothing is written behind the end")
                .isZero();
        return Arrays.copyOf(bytes, bytes.length - 3);
    }

    private static List<byte[]> decode(byte[] bytes, Shape shape) {
        // Memory behind the announced bytes is not read.
        byte[] withTail = Arrays.copyOf(bytes, bytes.length + 2);
        try (Tensor tensor =
                TensorProtoCodec.decode(MemorySegment.ofArray(withTail), metaData(shape, bytes.length), ALLOCATOR)) {
            assertThat(tensor.shape()).isEqualTo(shape);
            return tensor.toStrings();
        }
    }

    private static TensorMetaData metaData(Shape shape, long bytes) {
        return new TensorMetaData(DataType.STRING, shape, false, bytes);
    }

    private static void assertRefused(byte[] bytes, Shape expected, StatusCode code, String message) {
        assertThatExceptionOfType(TransportException.class)
                .as(HexFormat.of().formatHex(bytes))
                .isThrownBy(() -> decode(bytes, expected))
                .satisfies(e -> assertThat(e.code()).isEqualTo(code))
                .withMessageContaining(message);
    }
}
