package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.channel.setup.RemoteRegion;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.PostingOptions;
import io.tensorferry.verbs.memory.RecordingDomain;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.SlotReader;
import java.util.ArrayList;
import java.util.List;

/// A ring in registered memory, and its control queue pair, which records the posted requests.
public final class TestRing implements AutoCloseable {
    public static final int SLOTS = 16;
    static final int SLOT_BYTES = 4096;

    private final RegisteredMemory memory = new RegisteredMemory(new RecordingDomain(), MemoryOptions.defaults());
    private final RegisteredBuffer staging = memory.allocate(SLOTS * SLOT_BYTES);
    public final RecordingQueuePair queuePair = new RecordingQueuePair();
    public final Lane control = new Lane(
            0,
            queuePair,
            1024,
            4096,
            SLOTS + ConnectionParameters.RESERVED_RECEIVES,
            SLOTS / 4,
            PostingOptions.defaults());
    public final OutgoingRing ring =
            new OutgoingRing(staging, new RemoteRegion(1L << 40, 1), SLOTS, SLOT_BYTES, SLOT_BYTES);

    /// The messages that a slot has, as the peer would read them.
    public List<Message> inSlot(int slot) {
        var reader = new SlotReader(SLOT_BYTES);
        reader.open(staging.segment(), (long) slot * SLOT_BYTES);
        var found = new ArrayList<Message>();
        do {
            found.add(reader.nextMessage());
        } while (reader.hasMore());
        return found;
    }

    @Override
    public void close() {
        staging.close();
        memory.close();
    }
}
