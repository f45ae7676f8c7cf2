package io.tensorferry.verbs.rendezvous.strings;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.proto.TensorProto;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/// Any bytes as the content of a string tensor: the tensor that protobuf reads from them, or a status for the peer's
/// fault.
@Timeout(value = 5, unit = TimeUnit.SECONDS)
class TensorProtoCodecFuzz {
    private static final TensorAllocator ALLOCATOR = TensorAllocator.unregistered();

    /// @param announced the first byte is the rank, 0 to 3, the next are the dimensions that were announced; the
    ///     others are the content
    @FuzzTest
    void anyBytesAreTheTensorThatProtobufReadsOrRefused(byte[] announced) {
        int rank = announced.length == 0 ? 0 : announced[0] & 3;
        if (announced.length <= rank) {
            return;
        }
        long[] dimensions = new long[rank];
        for (int axis = 0; axis < rank; axis++) {
            dimensions[axis] = announced[1 + axis] & 0x7F;
        }
        var shape = Shape.of(dimensions);
        byte[] content = Arrays.copyOfRange(announced, 1 + rank, announced.length);
        var expected = new TensorMetaData(DataType.STRING, shape, false, content.length);
        try (Tensor tensor = TensorProtoCodec.decode(MemorySegment.ofArray(content), expected, ALLOCATOR)) {
            assertThat(tensor.shape()).isEqualTo(shape);
            List<byte[]> elements = tensor.toStrings();
            assertThat(elements).containsExactlyElementsOf(readByProtobuf(content));
            byte[] again = new byte[(int) TensorProtoCodec.serializedSize(tensor)];
            TensorProtoCodec.encode(tensor, MemorySegment.ofArray(again));
            assertThat(readByProtobuf(again)).containsExactlyElementsOf(elements);
        } catch (TransportException e) {
            assertThat(e.code()).isIn(StatusCode.DATA_LOSS, StatusCode.INVALID_ARGUMENT);
        }
    }

    private static List<byte[]> readByProtobuf(byte[] content) {
        try {
            return TensorProto.parseFrom(content).getStringValList().stream()
                    .map(ByteString::toByteArray)
                    .toList();
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError("protobuf refuses what was read", e);
        }
    }
}
