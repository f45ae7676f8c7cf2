package io.tensorferry.verbs.tensor;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/// Two owners close their handles on one tensor: its memory is released once, and the next owner sees all that
/// either wrote.
///
/// Results: how often the memory was released, and the values found in it.
@JCStressTest
@Outcome(id = "1, 1, 2", expect = Expect.ACCEPTABLE, desc = "Once, with what both wrote.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Twice, never, or too early.")
@State
public class TensorCloseStress {
    private final MemorySegment memory = Arena.ofAuto().allocate(2);
    private final Tensor one = Tensor.wrap(DataType.UINT8, Shape.of(2), memory, this::freed);
    private final Tensor other = one.share();
    private int times;
    private int first;
    private int second;

    private void freed() {
        times++;
        first = memory.get(ValueLayout.JAVA_BYTE, 0);
        second = memory.get(ValueLayout.JAVA_BYTE, 1);
    }

    @Actor
    public void oneOwner() {
        one.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        one.close();
    }

    @Actor
    public void otherOwner() {
        other.segment().set(ValueLayout.JAVA_BYTE, 1, (byte) 2);
        other.close();
    }

    @Arbiter
    public void result(III_Result result) {
        result.r1 = times;
        result.r2 = first;
        result.r3 = second;
    }
}
