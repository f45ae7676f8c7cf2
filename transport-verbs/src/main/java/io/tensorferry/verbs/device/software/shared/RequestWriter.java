package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.verbs.device.software.core.Request;

/// Puts a requester's requests into its [RingFile], and publishes them to the responder.
///
/// Threading: on the loop.
final class RequestWriter {
    private final RingFile ring;
    /// Counts of the requests put in and published.
    private long sent;
    private long published;

    RequestWriter(RingFile ring) {
        this.ring = ring;
    }

    long sent() {
        return sent;
    }

    long published() {
        return published;
    }

    /// Whether the ring has room for another request. If it has none, the responder signals when it has taken one.
    boolean hasRoom() {
        if (sent - ring.head() < RingFile.REQUESTS) {
            return true;
        }
        ring.setWantsRoom(true);
        // Checked again, because the responder takes a request and then reads the flag.
        boolean room = sent - ring.head() < RingFile.REQUESTS;
        if (room) {
            ring.setWantsRoom(false);
        }
        return room;
    }

    /// Returns how many of `wanted` bytes the stream of staged payload has room for; negative if the responder's count
    /// is invalid. If it has no room, the responder signals when it has taken some bytes.
    ///
    /// @param staged count of the staged bytes
    /// @param floor all staged bytes before this count were consumed
    long stagedRoom(long staged, long floor, long wanted) {
        long room = Math.min(wanted, room(staged, floor));
        if (room == 0) {
            ring.setWantsRoom(true);
            // Checked again, because the responder takes bytes and then reads the flag.
            room = Math.min(wanted, room(staged, floor));
            if (room > 0) {
                ring.setWantsRoom(false);
            }
        }
        return room;
    }

    private long room(long staged, long floor) {
        long taken = Math.max(floor, ring.stagedHead());
        long room = RingFile.STAGING_BYTES - (staged - taken);
        // The padding between payloads may exceed the room.
        return room > RingFile.STAGING_BYTES ? -1 : Math.max(0, room);
    }

    /// Describes the staged payload of the next request.
    ///
    /// @param begin the counter at which it begins
    void putStaged(long begin) {
        ring.setLong(RingFile.request(sent) + 32, begin);
    }

    /// Describes the payload of the next request, which lies in a memory file.
    ///
    /// @param index the file's index in the requester's [FileTable]
    void putInFile(long offset, int index, long number) {
        long at = RingFile.request(sent);
        ring.setLong(at + 32, offset);
        ring.setInt(at + 40, index);
        ring.setLong(at + 48, number);
    }

    /// Puts in the next request, after its payload was described. [#publish] makes it visible to the responder.
    void put(int kind, Request request) {
        long at = RingFile.request(sent);
        ring.setInt(at, kind);
        ring.setInt(at + 4, request.sequence);
        ring.setInt(at + 8, request.remoteKey);
        ring.setInt(at + 12, request.immediate);
        ring.setLong(at + 16, request.remoteAddress);
        ring.setLong(at + 24, request.length);
        sent++;
    }

    /// Publishes the requests put in; returns whether there were any.
    boolean publish() {
        if (published == sent) {
            return false;
        }
        published = sent;
        ring.setTail(sent);
        return true;
    }
}
