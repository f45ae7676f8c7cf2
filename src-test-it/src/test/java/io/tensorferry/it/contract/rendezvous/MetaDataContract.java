package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Shape;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// A key's tensor may be another kind of tensor in each step, whatever the receiver remembers of the last one.
abstract class MetaDataContract extends RendezvousContract {
    MetaDataContract(Protocol protocol) {
        super(protocol);
    }

    private void exchange(long step, DataType dataType, Shape shape) throws InterruptedException {
        sending(step).send(key("a"), Contents.tensor(allocator(), dataType, shape, step));
        Contents.check(receiving(step).recv(key("a"), LIMIT), dataType, shape, step);
    }

    @Test
    void theShapeMayChange() throws Exception {
        long step = 1;
        for (Shape shape : List.of(
                Shape.of(10),
                Shape.of(10),
                Shape.of(20),
                Shape.of(2, 5),
                Shape.of(0),
                Shape.scalar(),
                Shape.of(100_000))) {
            exchange(step++, DataType.FLOAT, shape);
        }
    }

    @Test
    void theTypeMayChangeWithTheSameBytes() throws Exception {
        long step = 1;
        for (DataType dataType : List.of(DataType.FLOAT, DataType.INT32, DataType.QINT32, DataType.FLOAT)) {
            exchange(step++, dataType, Shape.of(1000));
        }
    }

    @Test
    void aTensorMayDieAndComeBack() throws Exception {
        exchange(1, DataType.FLOAT, Shape.of(10));
        for (int step = 2; step <= 3; step++) {
            sending(step).sendDead(key("a"));
            assertThat(receiving(step).recv(key("a"), LIMIT)).isEqualTo(new RecvResult.Dead());
        }
        exchange(4, DataType.FLOAT, Shape.of(10));
        exchange(5, DataType.FLOAT, Shape.of(10));
    }

    @Test
    void stringsMayChangeTheirSize() throws Exception {
        for (int step = 1; step <= 20; step++) {
            String element = "s".repeat(step % 2 == 0 ? 10 : 1000 * step);
            sending(step).send(key("a"), Contents.strings(allocator(), Shape.of(2), element, "end"));
            assertThat(Contents.strings(receiving(step).recv(key("a"), LIMIT))).containsExactly(element, "end");
        }
    }

    @Test
    void theKindMayChangeWhileOthersAreUnderWay() throws Exception {
        var receive = receiving(1).recvAsync(key("a"));
        exchange(2, DataType.DOUBLE, Shape.of(77));
        sending(3).sendDead(key("a"));
        assertThat(receiving(3).recv(key("a"), LIMIT)).isEqualTo(new RecvResult.Dead());

        sending(1).send(key("a"), Contents.tensor(allocator(), DataType.INT64, Shape.of(5), 9));

        Contents.check(await(receive), DataType.INT64, Shape.of(5), 9);
    }

    @Test
    void everythingMayChangeAtRandom() throws Exception {
        long seed = 7;
        var random = new SplittableRandom(seed);
        for (int step = 1; step <= 60; step++) {
            switch (random.nextInt(4)) {
                case 0 -> {
                    sending(step).sendDead(key("a"));
                    assertThat(receiving(step).recv(key("a"), LIMIT)).isEqualTo(new RecvResult.Dead());
                }
                case 1 -> {
                    String element = "x".repeat(random.nextInt(10_000));
                    sending(step).send(key("a"), Contents.strings(allocator(), Shape.scalar(), element));
                    assertThat(Contents.strings(receiving(step).recv(key("a"), LIMIT)))
                            .containsExactly(element);
                }
                default -> {
                    DataType dataType = random.nextBoolean() ? DataType.FLOAT : DataType.INT16;
                    exchange(step, dataType, Shape.of(random.nextInt(4), random.nextInt(50_000)));
                }
            }
        }
    }
}
