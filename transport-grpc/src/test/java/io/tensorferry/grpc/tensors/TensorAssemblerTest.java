package io.tensorferry.grpc.tensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.proto.TensorHeader;
import io.tensorferry.proto.TensorShapeProto;
import io.tensorferry.verbs.config.RendezvousLimits;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class TensorAssemblerTest {
    private final List<Tensor> allocated = new ArrayList<>();
    private static final long MAX_BYTES = RendezvousLimits.UNLIMITED;

    private final TensorAssembler assembler = new TensorAssembler(
            (dataType, shape, bytes) -> {
                Tensor tensor = TensorAllocator.unregistered().allocate(dataType, shape, bytes);
                allocated.add(tensor);
                return tensor;
            },
            MAX_BYTES);

    private static TensorHeader header(int dtype, long bytes, long... dimensions) {
        var shape = TensorShapeProto.newBuilder();
        for (long dimension : dimensions) {
            shape.addDim(dimension);
        }
        return TensorHeader.newBuilder()
                .setDtype(dtype)
                .setShape(shape)
                .setTensorBytes(bytes)
                .build();
    }

    private static ByteString bytes(int count) {
        return ByteString.copyFrom(new byte[count]);
    }

    @Test
    void putsChunksOneBehindTheOther() {
        assembler.header(header(DataType.UINT8.number(), 5, 5));
        assembler.content(ByteString.copyFrom(new byte[] {1, 2}));
        assembler.content(ByteString.copyFrom(new byte[] {3, 4, 5}));

        try (Tensor tensor = assembler.finish().tensorOrThrow()) {
            assertThat(tensor.shape()).isEqualTo(Shape.of(5));
            assertThat(tensor.segment().toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2, 3, 4, 5);
        }
    }

    @Test
    void makesADeadTensorOfItsHeaderAlone() {
        assembler.header(TensorHeader.newBuilder().setIsDead(true).build());

        assertThat(assembler.finish()).isEqualTo(new RecvResult.Dead());
        assertThat(allocated).isEmpty();
    }

    @Test
    void refusesMessagesThatContradictEachOther() {
        assertCode(assembler::finish, StatusCode.DATA_LOSS);
        assertCode(() -> assembler.content(bytes(1)), StatusCode.DATA_LOSS);
        assembler.header(header(DataType.FLOAT.number(), 8, 2));
        assertCode(() -> assembler.header(header(DataType.FLOAT.number(), 8, 2)), StatusCode.DATA_LOSS);
        assertCode(() -> assembler.content(bytes(0)), StatusCode.DATA_LOSS);
        assertCode(() -> assembler.content(bytes(9)), StatusCode.DATA_LOSS);
        assembler.content(bytes(7));
        assertCode(() -> assembler.content(bytes(2)), StatusCode.DATA_LOSS);
        assertCode(assembler::finish, StatusCode.DATA_LOSS);

        assembler.discard();
        assertThat(allocated).hasSize(1).allMatch(Tensor::isClosed);
    }

    @Test
    void refusesHeadersThatMakeNoSense() {
        var senseless = List.of(
                header(0, 0, 1),
                header(99, 4, 1),
                header(-1, 4, 1),
                header(DataType.FLOAT.number(), 5, 1),
                header(DataType.FLOAT.number(), -4, 1),
                header(DataType.FLOAT.number(), 4, -1),
                header(DataType.FLOAT.number(), 4, Long.MAX_VALUE, Long.MAX_VALUE),
                header(DataType.FLOAT.number(), 0, new long[255]),
                header(DataType.DOUBLE.number(), Long.MIN_VALUE, 1L << 60),
                TensorHeader.newBuilder().setIsDead(true).setTensorBytes(1).build());
        for (TensorHeader header : senseless) {
            assertCode(
                    () -> new TensorAssembler(TensorAllocator.unregistered(), MAX_BYTES).header(header),
                    StatusCode.DATA_LOSS);
        }
    }

    @Test
    void aTensorOverTheLimitIsRefusedBeforeMemoryIsTaken() {
        var limited = new TensorAssembler(
                (_, _, _) -> {
                    throw new AssertionError("memory was taken");
                },
                1000);
        assertCode(() -> limited.header(header(DataType.UINT8.number(), 1001, 1001)), StatusCode.RESOURCE_EXHAUSTED);
        var allowed = new TensorAssembler(TensorAllocator.unregistered(), 1000);
        allowed.header(header(DataType.UINT8.number(), 1000, 1000));
        allowed.discard();
    }

    @Test
    void doesNotDieOfATensorThatFitsNowhere() {
        assertCode(
                () -> assembler.header(header(DataType.UINT8.number(), 1L << 60, 1L << 60)),
                StatusCode.RESOURCE_EXHAUSTED);
        assertCode(
                () -> new TensorAssembler(TensorAllocator.unregistered(), MAX_BYTES)
                        .header(header(DataType.STRING.number(), 1L << 60, 1)),
                StatusCode.INVALID_ARGUMENT);
    }

    private static void assertCode(ThrowingCallable call, StatusCode code) {
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(call)
                .satisfies(e -> assertThat(e.code()).isEqualTo(code));
    }
}
