package io.tensorferry.it.benchmark.inprocess;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageCodec;
import io.tensorferry.verbs.wire.SlotReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// Requests to and from their bytes: the first of a name, and those that repeat it.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CodecJmh {
    private static final int SLOT_BYTES = 4096;
    private static final int INDEX = 5;
    private static final int NAME = 1;
    private static final int KEY = 77;
    private static final long ADDRESS = 0x7F00_0000_1000L;

    private final MemorySegment slot = Arena.global().allocate(SLOT_BYTES, Long.BYTES);
    private final MemorySegment repeatedSlot = Arena.global().allocate(SLOT_BYTES, Long.BYTES);
    private final SlotReader reader = new SlotReader(SLOT_BYTES);
    private final Message request = new Message.TensorRequest(
            3,
            INDEX,
            "/job:producer/replica:0/task:0/device:CPU:0;0000000000000001;/job:consumer/replica:0/task:0/device:CPU:0;tensor;0:0",
            new TensorMetaData(DataType.UINT8, Shape.of(SLOT_BYTES), false, SLOT_BYTES),
            ADDRESS,
            KEY,
            false);

    public CodecJmh() {
        var _ = MessageCodec.encode(request, slot);
        var _ = MessageCodec.encodeRepeatedRequest(repeatedSlot, 0, 3, INDEX, NAME, ADDRESS, KEY);
    }

    @Benchmark
    public int encodeRequest() {
        return MessageCodec.encode(request, slot);
    }

    @Benchmark
    public Message decodeRequest() {
        return MessageCodec.decode(slot);
    }

    @Benchmark
    public int encodeRepeatedRequest() {
        return MessageCodec.encodeRepeatedRequest(repeatedSlot, 0, 3, INDEX, NAME, ADDRESS, KEY);
    }

    @Benchmark
    public long decodeRepeatedRequest() {
        reader.open(repeatedSlot, 0);
        return reader.next() == SlotReader.Kind.REPEATED_REQUEST ? reader.address() : -1;
    }
}
