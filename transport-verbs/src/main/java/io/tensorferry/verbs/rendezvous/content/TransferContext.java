package io.tensorferry.verbs.rendezvous.content;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.Accelerators;
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
/// @param workers runs slow work
/// @param accelerators the accelerators of the worker
/// @param dataValidation whether contents are verified by checksum
/// @param maxTensorBytes the size limit of received tensors
/// @param mostNamedBytes the most bytes that one message names; larger contents are transferred in pieces
public record TransferContext(
        Executor loop,
        Executor workers,
        RegisteredMemory memory,
        Accelerators accelerators,
        boolean dataValidation,
        long maxTensorBytes,
        long mostNamedBytes,
        RendezvousCounters counters) {
    /// Fails a receive for a cause in the transport, and counts the failure.
    public void fail(RemoteReceive receive, TransportException cause) {
        counters.failedReceives.increment();
        receive.complete(new RecvResult.Failed(cause));
    }

    /// @param checksum the checksum that `content` must have, if there is one
    /// @throws TransportException `DATA_LOSS` if the checksum differs
    public void verify(RemoteReceive receive, MemorySegment content, OptionalLong checksum) {
        if (checksum.isPresent() && Checksum.of(content) != checksum.getAsLong()) {
            throw checksumMismatch(receive);
        }
    }

    /// Returns the failure of a receive whose content does not have the checksum that its sender announced; counted.
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
