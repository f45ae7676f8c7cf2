package io.tensorferry.verbs.rendezvous;

import io.tensorferry.verbs.channel.NamedMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Where the content of a receive lands, and the result that it becomes.
///
/// Ownership: the request's, until the content has landed; then the user's, by the result.
sealed interface Destination extends AutoCloseable permits HostResult {
    /// What the sender is told; null where nothing is to be written.
    @Nullable
    NamedMemory named();

    /// The address that the sender is told; 0 where nothing is to be written.
    default long address() {
        NamedMemory told = named();
        return told == null ? 0 : told.address();
    }

    /// The bytes that the sender writes.
    MemorySegment content();

    /// Whether the content is to be worked on before it is a tensor, which takes long.
    boolean needsWork();

    /// Gives the memory back; no peer writes there any more.
    @Override
    void close();
}
