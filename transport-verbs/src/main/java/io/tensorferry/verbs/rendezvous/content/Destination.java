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

/// The memory that the content of a receive lands in, and the way from there to the user.
///
/// ```
/// prepare -> ask -> begin -> landed ... landed -> deliver
/// ```
///
/// A destination that is named in the first message of its request skips the first three. [#stop], [#strand] and
/// [#close] end it early.
///
/// Owner: the thread that makes it, then the loop. The memory is the request's until [#deliver], then the user's.
public interface Destination extends AutoCloseable {
    /// The request that a destination belongs to.
    interface Asker {
        /// The index of the request.
        int index();

        /// The destination can be named to the sender.
        void onReady();

        /// The destination will never have memory to name.
        void onNotReady(TransportException cause);

        /// Sends the re-request that names all of `whole`.
        ///
        /// @return the sender's right to write there
        MemoryGrant askAgain(Destination whole);

        /// Sends the re-request after which memory is named piece by piece.
        void askInPieces();

        /// A piece cannot be named or copied, and no other piece is named.
        void onPieceFailed(TransportException cause);
    }

    /// The memory to name in a message; null where nothing is to be written, or where it is named piece by piece.
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

    /// Obtains memory to name where there is none yet, then calls [Asker#onReady] or [Asker#onNotReady], perhaps before
    /// this returns.
    ///
    /// @param peer the sender
    default void prepare(String peer, Asker by) {
        by.onReady();
    }

    /// Ends [#prepare]; the asker is not called any more.
    default void cancelPrepare() {}

    /// Puts a content here that came with its metadata. Called before [#prepare], by any thread.
    ///
    /// @param content all of it; not changed afterwards
    void fill(MemorySegment content);

    /// Puts a content here that came in a message of the ring.
    ///
    /// @param message its content is as large as the memory that was named
    /// @return the destination that holds it
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

    /// An immediate of the request arrived on `lane`.
    ///
    /// @return whether all of the content has landed
    /// @throws io.tensorferry.verbs.wire.ProtocolViolationException if no piece was named for this lane
    default boolean landed(int lane) {
        return true;
    }

    /// Verifies and decodes or copies what has landed, as far as needed, and completes the receive; takes this
    /// destination over.
    ///
    /// @param checksum the checksum that the content must have, if there is one
    void deliver(TransferContext context, RemoteReceive receive, TensorMetaData metaData, OptionalLong checksum);

    /// The request is given up or cannot continue: no more memory is named.
    default void stop() {}

    /// Whether it is kept while there is no channel, and named again on the next one.
    boolean outlivesChannel();

    /// Abandons the memory that a peer's device may write for ever: it is never reused. On the loop.
    void strand();

    /// Gives the memory back; no peer writes there any more.
    @Override
    void close();
}
