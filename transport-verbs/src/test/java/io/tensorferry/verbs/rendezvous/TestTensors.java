package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RecvResult.Received;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/// Keys and numbered tensors for the tests of the tables.
public final class TestTensors {
    private static final DeviceName PRODUCER = DeviceName.parse("/job:ps/replica:0/task:0/device:CPU:0");
    private static final DeviceName CONSUMER = DeviceName.parse("/job:worker/replica:0/task:0/device:CPU:0");

    /// The number of tensors made here that are not freed yet.
    public final AtomicInteger open = new AtomicInteger();

    public static RendezvousKey key(int number) {
        return RendezvousKey.of(PRODUCER, CONSUMER, "edge" + number);
    }

    /// An empty tensor that carries `number` as its second dimension.
    public Received tensor(int number) {
        open.incrementAndGet();
        return new Received(
                Tensor.wrap(DataType.FLOAT, Shape.of(0, number), MemorySegment.NULL, open::decrementAndGet));
    }

    public static int number(Tensor tensor) {
        return Math.toIntExact(tensor.shape().dimension(1));
    }
}
