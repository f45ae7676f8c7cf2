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
import org.openjdk.jcstress.infra.results.JI_Result;

/// A thread that finds a request in the ring finds all of it, and the payload that was staged before it.
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Not there yet.")
@Outcome(id = "42, 43", expect = Expect.ACCEPTABLE, desc = "The request and its payload.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A part of the request, or its payload of before.")
@State
public class RingRequestStress {
    private static final long AT_ADDRESS = RingFile.request(0) + 16;

    private final MemorySegment payload = Arena.ofAuto().allocate(64, 64);
    private final RingFile ring = RingFile.of(new MemoryFile(-1, Arena.ofAuto().allocate(8192, 64)));

    @Actor
    public void requester() {
        payload.set(ValueLayout.JAVA_INT, 0, 43);
        ring.setStagedTail(Integer.BYTES);
        ring.setLong(AT_ADDRESS, 42);
        ring.setTail(1);
    }

    @Actor
    public void responder(JI_Result result) {
        if (ring.tail() == 1) {
            result.r1 = ring.getLong(AT_ADDRESS);
            result.r2 = ring.stagedTail() == Integer.BYTES ? payload.get(ValueLayout.JAVA_INT, 0) : -1;
        }
    }
}
