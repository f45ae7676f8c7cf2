package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.MemoryFile;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.software.core.Request;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJJ_Result;

/// A responder that finds a request in the ring finds all of it, and the payload that was staged before it. On x86 this
/// shows an order of the program or of the compiler only; see [RingFile] for other processors.
@JCStressTest
@Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Not published yet.")
@Outcome(id = "256, 42, 4, 43", expect = Expect.ACCEPTABLE, desc = "The request and its payload.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A part of the request, or an earlier payload.")
@State
public class RingRequestStress {
    private static final int KIND = RingFile.STAGED;

    private final MemorySegment payload = Arena.ofAuto().allocate(64, 64);
    private final RingFile ring = RingFile.of(new MemoryFile(-1, Arena.ofAuto().allocate(8192, 64)));
    private final RequestWriter writer = new RequestWriter(ring);
    private final RequestReader reader = new RequestReader(ring);
    private final Request request = new Request();
    private final Request read = new Request();

    public RingRequestStress() {
        request.opcode = SendWorkRequest.Opcode.RDMA_WRITE;
        request.remoteAddress = 42;
        request.length = Integer.BYTES;
    }

    /// As [RingRequester] sends a short payload.
    @Actor
    public void requester() {
        writer.putStaged(0);
        writer.put(KIND, request);
        payload.set(ValueLayout.JAVA_INT, 0, 43);
        ring.setStagedTail(Integer.BYTES);
        writer.publish();
    }

    /// As [RingResponder] takes a request.
    @Actor
    public void responder(JJJJ_Result result) {
        if (reader.waiting() == 1) {
            result.r1 = reader.kind();
            reader.read(read);
            result.r2 = read.remoteAddress;
            result.r3 = read.length;
            result.r4 = ring.stagedTail() == Integer.BYTES ? payload.get(ValueLayout.JAVA_INT, 0) : -1;
        }
    }
}
