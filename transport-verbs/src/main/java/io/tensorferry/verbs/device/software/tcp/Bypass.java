package io.tensorferry.verbs.device.software.tcp;

import io.tensorferry.verbs.device.software.core.Bell;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A quicker way to peers on the same host. A connection introduces the two ends and then says, by ending, that one of
/// them is gone; requests and answers go the other way.
///
/// Threading: on the loop, but for what is said otherwise.
public interface Bypass extends AutoCloseable {
    /// The requests of a queue pair.
    interface Requests {
        /// Fills what the hello says of this way.
        ///
        /// @param frame [Frame#BYTES] bytes, of which the first four are taken
        void putOffer(ByteBuffer frame);

        /// The peer takes requests this way; `frame` is what it says of its end.
        ///
        /// @return false if that makes no sense, or cannot be used
        boolean accepted(ByteBuffer frame);

        /// Takes requests from the requester, as many as have room.
        void transmit();

        /// Takes the answers that have come. The requester may fail in this call.
        void receive();

        /// Ends it: no memory of this side is looked at by the peer any more, or the peer throws away what it saw.
        /// [End#broken()] is not called from here on.
        void end();
    }

    /// The requests of a peer's queue pair.
    interface Answers {
        /// Fills what the answer to the hello says of this way.
        void putAnswer(ByteBuffer frame);

        /// Takes what requests have come.
        void serve();

        /// The responder waits for a receive, and now one is posted.
        void retry();

        /// Ends it: no registered memory is touched any more.
        void end();
    }

    /// Who is told that a direction cannot go on.
    interface End {
        /// What came from the peer makes no sense.
        void broken();
    }

    /// The way to the peer of a queue pair; null if there are too many.
    @Nullable
    Requests requests(SoftwareQueuePair queuePair, End end);

    /// The way from a peer; null if it cannot be had.
    ///
    /// @param offer what the peer's [Requests#putOffer] filled, or anything else: a stranger may have sent it
    @Nullable
    Answers answers(SoftwareQueuePair queuePair, int rnrRetry, ByteBuffer offer, End end);

    /// Whether peers have something that nobody has served yet. Any thread.
    boolean isRung();

    /// Serves what peers have.
    void serve();

    /// Nobody is going to serve the rest at once, unless it is done here. Any thread.
    void leave();

    /// Somebody polls this device's completion queues. Any thread.
    void polled();

    /// Returns when no copy goes on that went on when this was called. Any thread, on the loop or not.
    void awaitCopies();

    /// Any thread.
    Bell newBell();

    /// Any thread.
    MemorySegment allocate(Arena arena, long bytes, long alignment);

    /// Any thread but the loop's; after all queue pairs.
    @Override
    void close();
}
