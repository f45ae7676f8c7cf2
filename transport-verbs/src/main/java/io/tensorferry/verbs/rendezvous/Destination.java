package io.tensorferry.verbs.rendezvous;

import io.tensorferry.verbs.channel.lane.NamedMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Where the content of a receive lands, and the result that it becomes.
///
/// Ownership: the request's, until the content has landed; then the user's, by the result.
sealed interface Destination extends AutoCloseable permits HostResult, DirectResult, StagedResult, PieceDestination {
    /// What the sender is told; null where nothing is to be written.
    @Nullable
    NamedMemory named();

    /// The address that the sender is told; 0 where nothing is to be written.
    default long address() {
        NamedMemory told = named();
        return told == null ? 0 : told.address();
    }

    /// The bytes that the sender writes; none where nothing is to be written. A [DirectResult] has none to show.
    MemorySegment content();

    /// Whether a worker is to work on the content before it is a tensor, because that takes long.
    boolean needsWork();

    /// Whether it is kept while there is no channel, and named again on the next one.
    boolean outlivesChannel();

    /// Gives up what a peer's device may write into for ever: nobody gets it again. On the loop.
    void strand();

    /// Gives the memory back; no peer writes there any more.
    @Override
    void close();
}
