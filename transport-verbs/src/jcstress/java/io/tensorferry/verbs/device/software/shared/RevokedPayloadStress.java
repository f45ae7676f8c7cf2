package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.MemoryFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/// A responder that read what the requester's application wrote after a flush sees that it was revoked.
@JCStressTest
@Outcome(id = "0, false", expect = Expect.ACCEPTABLE, desc = "Read before, and counts.")
@Outcome(id = "0, true", expect = Expect.ACCEPTABLE, desc = "Read before, and is thrown away all the same.")
@Outcome(id = "9, true", expect = Expect.ACCEPTABLE, desc = "Read too late, and is thrown away.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Read too late, and counts.")
@State
public class RevokedPayloadStress {
    private final MemorySegment payload = Arena.ofAuto().allocate(64, 64);
    private final RingFile ring = RingFile.of(new MemoryFile(-1, Arena.ofAuto().allocate(4096, 64)));

    @Actor
    public void requester() {
        ring.revoke();
        payload.set(ValueLayout.JAVA_INT, 0, 9);
    }

    @Actor
    public void responder(IZ_Result result) {
        result.r1 = payload.get(ValueLayout.JAVA_INT, 0);
        result.r2 = ring.isRevoked();
    }
}
