package io.tensorferry.grpc.tensors;

import com.google.protobuf.ByteString;
import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.proto.TensorHeader;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Assembles a tensor from the messages of its call, each written directly to its destination. Validates all data from
/// the peer.
///
/// Failures are [TransportException]s: `DATA_LOSS` if the messages are inconsistent, `RESOURCE_EXHAUSTED` if no memory
/// is left or the tensor exceeds the limit.
///
/// Threading: one thread.
final class TensorAssembler {
    private final TensorAllocator allocator;
    private final long maxTensorBytes;
    private @Nullable TensorMetaData metaData;
    // The destination of the content: the result's memory, or a buffer for the serialised form of strings.
    private MemorySegment target = MemorySegment.NULL;
    private @Nullable Tensor result;
    private long received;
    private boolean taken;

    /// @param maxTensorBytes the largest tensor that a header may announce
    TensorAssembler(TensorAllocator allocator, long maxTensorBytes) {
        this.allocator = allocator;
        this.maxTensorBytes = maxTensorBytes;
    }

    /// The producer has queued or matched the request; valid only as the first message.
    void taken() {
        if (taken || metaData != null) {
            throw dataLoss("the request was reported as taken in the middle of its tensor");
        }
        taken = true;
    }

    void header(TensorHeader header) {
        if (metaData != null) {
            throw dataLoss("a second header arrived");
        }
        TensorMetaData checked = check(header);
        metaData = checked;
        if (checked.dead()) {
            return;
        }
        if (checked.byteSize() > maxTensorBytes) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "a tensor of " + checked.byteSize() + " bytes was announced; the limit is " + maxTensorBytes
                            + " bytes");
        }
        try {
            if (checked.dataType().isDmaAble()) {
                Tensor tensor = allocator.allocate(checked.dataType(), checked.shape(), checked.byteSize());
                result = tensor;
                target = tensor.segment();
            } else {
                target = StringContent.allocate(checked.byteSize());
            }
        } catch (OutOfMemoryError | IllegalArgumentException e) {
            // The peer determines the size; a wrong value must not terminate the process.
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED, "no memory for a tensor of " + checked.byteSize() + " bytes", e);
        }
    }

    private static TensorMetaData check(TensorHeader header) {
        try {
            if (header.getIsDead()) {
                return header.getTensorBytes() == 0
                        ? TensorMetaData.ofDead()
                        : new TensorMetaData(DataType.FLOAT, Shape.scalar(), true, header.getTensorBytes());
            }
            long[] dimensions = header.getShape().getDimList().stream()
                    .mapToLong(Long::longValue)
                    .toArray();
            return new TensorMetaData(
                    DataType.ofNumber(header.getDtype()), Shape.of(dimensions), false, header.getTensorBytes());
        } catch (IllegalArgumentException e) {
            throw new TransportException(StatusCode.DATA_LOSS, "the header is invalid: " + e.getMessage(), e);
        }
    }

    void content(ByteString bytes) {
        if (metaData == null) {
            throw dataLoss("content arrived before the header");
        }
        int length = bytes.size();
        if (length == 0) {
            throw dataLoss("an empty chunk arrived");
        }
        if (length > metaData.byteSize() - received) {
            throw dataLoss(
                    "at least " + (received + length) + " bytes arrived, the header announced " + metaData.byteSize());
        }
        bytes.copyTo(target.asSlice(received, length).asByteBuffer());
        received += length;
    }

    /// Returns the result, which the caller owns.
    RecvResult finish() {
        TensorMetaData expected = metaData;
        if (expected == null) {
            throw dataLoss("the call ended without a header");
        }
        if (received != expected.byteSize()) {
            throw dataLoss(received + " bytes arrived, the header announced " + expected.byteSize());
        }
        if (expected.dead()) {
            return new RecvResult.Dead();
        }
        Tensor tensor = result;
        result = null;
        return new RecvResult.Received(tensor != null ? tensor : StringContent.decode(target, expected, allocator));
    }

    long byteSize() {
        return received;
    }

    /// Frees the memory of an unfinished result.
    void discard() {
        if (result != null) {
            result.close();
            result = null;
        }
    }

    private static TransportException dataLoss(String what) {
        return new TransportException(StatusCode.DATA_LOSS, what);
    }
}
