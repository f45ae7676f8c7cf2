package io.tensorferry.cli.check;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.statistics.ChannelDescription;
import io.tensorferry.verbs.statistics.PeerStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The exchange between the two ends of a check over one channel: notes, each under a separate key, and tensors.
///
/// Threading: one thread.
final class Conversation implements AutoCloseable {
    private static final Gson GSON = new Gson();
    private static final long LONGEST_NOTE = 64 << 10;

    private final TransportServer server;
    private final ChannelDescription channel;
    private final Rendezvous rendezvous;
    private final DeviceName self;
    private final DeviceName other;
    private final Residence residence;
    private final Duration patience;

    /// @param channel determines the step: both ends derive the same one, and no other check uses it
    /// @param residence the location of this end's tensors; notes are in host memory
    /// @param patience the maximum wait for each item from the other end
    Conversation(TransportServer server, ChannelDescription channel, Residence residence, Duration patience) {
        this.server = server;
        this.channel = channel;
        this.rendezvous = server.rendezvous(channel.connectionId());
        this.self = server.deviceName(0);
        this.other = DeviceName.parse(channel.peer() + "/device:CPU:0");
        this.residence = residence;
        this.patience = patience;
    }

    /// Sends a note to the other end.
    void say(Object note) {
        byte[] text = GSON.toJson(note).getBytes(StandardCharsets.UTF_8);
        try (Tensor tensor = server.allocator().allocate(DataType.UINT8, Shape.of(text.length))) {
            MemorySegment.copy(MemorySegment.ofArray(text), 0, tensor.segment(), 0, text.length);
            rendezvous.send(keyTo(note.getClass()), tensor);
        }
    }

    /// Waits for the note of this kind.
    ///
    /// @throws TransportException if the note does not arrive or is invalid
    <T> T hear(Class<T> kind) throws InterruptedException {
        try (Tensor tensor =
                rendezvous.recv(keyFrom(kind.getSimpleName()), patience).tensorOrThrow()) {
            if (tensor.dataType() != DataType.UINT8 || tensor.byteSize() > LONGEST_NOTE) {
                throw noNote(kind, "it is " + tensor, null);
            }
            var text = StandardCharsets.UTF_8.decode(tensor.asByteBuffer());
            T note = GSON.fromJson(text.toString(), kind);
            if (note == null) {
                throw noNote(kind, "it is empty", null);
            }
            return note;
        } catch (JsonParseException e) {
            throw noNote(kind, "its JSON has another form; do both ends run the same version?", e);
        }
    }

    private TransportException noNote(Class<?> kind, String why, @Nullable Exception cause) {
        return new TransportException(
                StatusCode.INTERNAL,
                "the other end sent a note that is not a " + kind.getSimpleName() + ": " + why,
                other.worker(),
                0,
                cause);
    }

    /// Sends all tensors of one size to the other end.
    ///
    /// @param seed the seed of their pattern
    void offer(Plan.Item item, int seed) {
        try (Tensor tensor = residence.make(item.bytes(), seed)) {
            for (int i = 0; i <= item.rounds(); i++) {
                try (Tensor share = tensor.share()) {
                    rendezvous.send(keyTo(item), share);
                }
            }
        }
    }

    /// Receives all tensors of one size in sequence.
    ///
    /// @param seed the seed of the expected pattern
    /// @throws TransportException if a tensor does not arrive, or `DATA_LOSS` if its content differs from the pattern
    Timing fetch(Plan.Item item, int seed) throws InterruptedException {
        RendezvousKey key = keyFrom(edge(item));
        long[] rounds = new long[item.rounds()];
        try (Arena arena = Arena.ofConfined();
                Contents contents = residence.contents(item.bytes())) {
            MemorySegment expected = TestPattern.of(item.bytes(), seed, arena);
            long first = fetch(key, expected, contents);
            for (int i = 0; i < rounds.length; i++) {
                rounds[i] = fetch(key, expected, contents);
            }
            return Timing.of(item.bytes(), first, rounds);
        }
    }

    private long fetch(RendezvousKey key, MemorySegment expected, Contents contents) throws InterruptedException {
        long start = System.nanoTime();
        try (Tensor tensor = residence.receive(rendezvous, key, patience)) {
            long took = System.nanoTime() - start;
            long mismatch = contents.of(tensor).mismatch(expected);
            if (mismatch >= 0) {
                throw new TransportException(
                        StatusCode.DATA_LOSS,
                        "a tensor of " + expected.byteSize()
                                + " bytes arrived with other content than was sent, from byte " + mismatch + " on",
                        other.worker(),
                        0,
                        null);
            }
            contents.erase(tensor);
            return took;
        }
    }

    /// The carrier of this end's requests to the other, for example `TCP`; known after the first note has arrived.
    /// Empty if the device has only one carrier, or the channel is gone.
    String way() {
        return server.peers().stream()
                .filter(status -> channel.equals(status.channel()))
                .map(PeerStatus::way)
                .findFirst()
                .orElse("");
    }

    private RendezvousKey keyTo(Class<?> note) {
        return RendezvousKey.of(self, other, note.getSimpleName());
    }

    private RendezvousKey keyTo(Plan.Item item) {
        return RendezvousKey.of(self, other, edge(item));
    }

    private RendezvousKey keyFrom(String edge) {
        return RendezvousKey.of(other, self, edge);
    }

    private static String edge(Plan.Item item) {
        return "tensor " + item.bytes();
    }

    /// Discards all tensors that were not requested.
    @Override
    public void close() {
        int _ = server.closeStep(rendezvous.stepId());
    }
}
