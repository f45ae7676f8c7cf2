package io.tensorferry.verbs.tensor;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// A handle is shared while it is closed: either that is refused, or the memory stays for as long as the new handle
/// is open.
///
/// Results: how often the memory was released while the new handle was open, -1 without a new handle; and at the
/// end.
@JCStressTest
@Outcome(id = "-1, 1", expect = Expect.ACCEPTABLE, desc = "Refused.")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "Shared, and the memory went back after that.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The memory went back too early, twice or never.")
@State
public class TensorShareStress {
    private final AtomicInteger freed = new AtomicInteger();
    private final Tensor tensor =
            Tensor.wrap(DataType.UINT8, Shape.of(2), Arena.ofAuto().allocate(2), freed::incrementAndGet);

    @Actor
    public void shares(II_Result result) {
        try (Tensor shared = tensor.share()) {
            result.r1 = shared.isClosed() ? 9 : freed.get();
        } catch (IllegalStateException _) {
            result.r1 = -1;
        }
    }

    @Actor
    public void closes() {
        tensor.close();
    }

    @Arbiter
    public void result(II_Result result) {
        result.r2 = freed.get();
    }
}
