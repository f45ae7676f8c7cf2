package io.tensorferry.verbs.rendezvous.content;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.config.RendezvousOptions;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.RendezvousCounters;
import io.tensorferry.verbs.wire.Checksum;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import java.util.concurrent.Executor;

/// The parts that all transfers of one worker share. Immutable.
///
/// Threading: any thread.
///
/// @param loop runs commands on the completion loop
/// @param workers runs work that may take long
/// @param accelerators of the worker
/// @param maxTensorBytes the largest tensor that is received
/// @param mostNamedBytes what one message names at most; larger contents come in pieces
public record TransferContext(
        Executor loop,
        Executor workers,
        RegisteredMemory memory,
        Accelerators accelerators,
        RendezvousOptions options,
        long maxTensorBytes,
        long mostNamedBytes,
        RendezvousCounters counters) {
    /// Fails a receive for a cause of the transport's, and counts it.
    public void fail(RemoteReceive receive, TransportException cause) {
        counters.failedReceives.increment();
        receive.complete(new RecvResult.Failed(cause));
    }

    /// @param checksum that `content` must have, if there is one
    /// @throws TransportException `DATA_LOSS` if it has another
    public void verify(RemoteReceive receive, MemorySegment content, OptionalLong checksum) {
        if (checksum.isPresent() && Checksum.of(content) != checksum.getAsLong()) {
            throw checksumMismatch(receive);
        }
    }

    /// The failure of a receive whose content has another checksum than its sender announced; counted.
    public TransportException checksumMismatch(RemoteReceive receive) {
        counters.checksumMismatches.increment();
        return new TransportException(
                StatusCode.DATA_LOSS,
                "the content of " + receive.key() + " does not match its checksum",
                receive.peer(),
                0,
                null);
    }
}
