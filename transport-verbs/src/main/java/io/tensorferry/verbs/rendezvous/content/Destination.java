package io.tensorferry.verbs.rendezvous.content;

import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.wire.SlotReader;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The memory that the content of a receive lands in, and its path from there to the user.
///
/// ```
/// prepare -> ask -> begin -> landed ... landed -> deliver
/// ```
///
/// A destination that the first message of its request names skips the first three. [#stop], [#strand] and [#close] end
/// it early.
///
/// Threading: the thread that creates it, then the loop. Ownership: the request owns the memory until [#deliver], then
/// the user owns it.
public interface Destination extends AutoCloseable {
    /// The request that a destination belongs to.
    interface Asker {
        /// The index of the request.
        int index();

        /// The destination's memory can be named to the sender.
        void onReady();

        /// The destination could not obtain memory.
        void onNotReady(TransportException cause);

        /// Sends the re-request that names all of `whole`.
        ///
        /// @return the sender's right to write there
        MemoryGrant askAgain(Destination whole);

        /// Sends the re-request after which memory is named piece by piece.
        void askInPieces();

        /// A piece could not be named or copied; no further piece is named.
        void onPieceFailed(TransportException cause);
    }

    /// The memory to name in a message; null if nothing is to be written, or if memory is named piece by piece.
    @Nullable
    NamedMemory named();

    /// The address to name in a message; 0 without [#named].
    default long address() {
        NamedMemory told = named();
        return told == null ? 0 : told.address();
    }

    /// Whether one message names all of the memory.
    default boolean isWhole() {
        return true;
    }

    /// Obtains memory to name if there is none yet, then calls [Asker#onReady] or [Asker#onNotReady], possibly before
    /// this method returns.
    ///
    /// @param peer the sender
    default void prepare(String peer, Asker by) {
        by.onReady();
    }

    /// Ends [#prepare]; the asker is not called any more.
    default void cancelPrepare() {}

    /// Stores a content that arrived with its metadata. Called before [#prepare], by any thread.
    ///
    /// @param content the complete content; not changed afterwards
    void fill(MemorySegment content);

    /// Stores a content that arrived in a message of the ring.
    ///
    /// @param message its content is as large as the memory that was named
    /// @return the destination that holds the content
    Destination fill(SlotReader message);

    /// Sends the re-request.
    ///
    /// @param expected the checksum of the content, if there is one
    /// @return the sender's right to write here
    default MemoryGrant ask(Asker by, RdmaChannel over, OptionalLong expected) {
        return by.askAgain(this);
    }

    /// Names the first pieces, after [#ask].
    default void begin() {}

    /// Handles an immediate of the request that arrived on `lane`.
    ///
    /// @return whether all of the content has landed
    /// @throws io.tensorferry.verbs.wire.ProtocolViolationException if no piece was named for this lane
    default boolean landed(int lane) {
        return true;
    }

    /// Verifies, decodes or copies the landed content as needed, and completes the receive. Takes this destination
    /// over.
    ///
    /// @param checksum the checksum that the content must have, if there is one
    void deliver(TransferContext context, RemoteReceive receive, TensorMetaData metaData, OptionalLong checksum);

    /// Names no more memory, because the request is given up or cannot continue.
    default void stop() {}

    /// Returns whether the destination survives the loss of its channel, and is named again on the next channel.
    boolean outlivesChannel();

    /// Abandons memory that a peer's device may still write at any time: it is never reused. On the loop.
    void strand();

    /// Releases the memory; no peer writes there any more.
    @Override
    void close();
}
