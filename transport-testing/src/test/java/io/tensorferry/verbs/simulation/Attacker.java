package io.tensorferry.verbs.simulation;

import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.channel.setup.RemoteRegion;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAddress;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.choice.ChosenPort;
import io.tensorferry.verbs.device.choice.DeviceChoice;
import io.tensorferry.verbs.link.EndpointAcceptor;
import io.tensorferry.verbs.link.OfferAnswer;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageCodec;
import io.tensorferry.verbs.wire.NameId;
import io.tensorferry.verbs.wire.SlotReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A peer by hand: a device of its own on the fabric, and queue pairs that write whatever a test wants. It keeps
/// the rules of set-up and credits where it is not told otherwise, so that what a test sends is the only thing
/// wrong.
final class Attacker implements AutoCloseable {
    static final int CONTROL = 0;
    static final int LANE = 1;
    static final int SLOTS = 16;
    static final int SLOT_BYTES = 4096;
    static final int RECEIVE_DEPTH = 32;
    static final int READS_AT_ONCE = 16;
    private static final int QUEUE_PAIRS = 2;
    private static final int SEND_DEPTH = 64;
    private static final int CONTROL_RECEIVES = SLOTS + 8;
    private static final int HEAP_BYTES = 1 << 20;

    private final String name;
    private final Random random;
    private final ChosenPort port;
    private final ProtectionDomain domain;
    private final Arena arena = Arena.ofShared();
    // Where it writes from: as many slots as may be posted. Then the ring that the victim writes to, then memory that
    // contents may be asked into.
    private final MemorySegment memory = arena.allocate((SEND_DEPTH + SLOTS) * (long) SLOT_BYTES + HEAP_BYTES, 4096);
    private final MemoryRegion region;
    // The same memory, for the victim to READ.
    private final MemoryRegion readable;
    private final SendWorkRequest request = new SendWorkRequest();
    private final SlotReader slotReader = new SlotReader(SLOT_BYTES);
    private final Queue<Message> messages = new ArrayDeque<>();
    private final Map<Integer, Message.TensorRequest> names = new HashMap<>();
    private final List<Integer> contents = new ArrayList<>();
    private long incarnation;
    private long attempts;
    private @Nullable CompletionQueue completions;
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private @Nullable ConnectionParameters victim;
    private @Nullable Throwable refusal;
    private boolean failed;
    private final int[] freeSendSlots = new int[QUEUE_PAIRS];
    private final int[] outstanding = new int[QUEUE_PAIRS];
    private final int[] unacknowledged = new int[QUEUE_PAIRS];
    private int nextSlot;
    private int nextStaging;
    private int nextIncoming;
    private long written;
    // Whether it acknowledges what it receives.
    boolean acknowledges = true;
    // Whether it posts the receives on the lane that it has promised; without them the victim's writes with an
    // immediate do not complete there.
    boolean postsReceivesOnLane = true;

    Attacker(SimulatedFabric fabric, String name, Random random) {
        this.name = name;
        this.random = random;
        this.incarnation = random.nextLong();
        this.port = DeviceChoice.choose(RdmaConfig.builder().build(), List.of(fabric.provider(name)));
        this.domain = port.device().allocateProtectionDomain();
        this.region = domain.register(memory, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
        this.readable = domain.register(memory, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ));
    }

    String name() {
        return name;
    }

    /// What a test changes of an offer before it is sent.
    interface OfferChange extends UnaryOperator<ConnectionParameters> {}

    /// An offer that says other numbers of what may be under way at once.
    static ConnectionParameters with(ConnectionParameters offer, int readsAtOnce, int piecesAtOnce) {
        return new ConnectionParameters(
                offer.protocolVersion(),
                offer.hostName(),
                offer.incarnation(),
                offer.connectionId(),
                offer.attempt(),
                offer.queuePairs(),
                offer.ring(),
                offer.ringSlots(),
                offer.slotBytes(),
                offer.receiveDepth(),
                offer.mtu(),
                offer.maxMessageBytes(),
                offer.stripeBytes(),
                readsAtOnce,
                piecesAtOnce,
                offer.fabric());
    }

    /// Begins to set a channel up, as a peer would; the answer comes in virtual time.
    void offer(EndpointAcceptor acceptor) {
        offer(acceptor, offer -> offer);
    }

    /// The same, with an offer that `change` has changed.
    void offer(EndpointAcceptor acceptor, OfferChange change) {
        disconnect();
        CompletionQueue queue = port.device().createCompletionQueue(4 * SEND_DEPTH + 128, null);
        completions = queue;
        var addresses = new ArrayList<QueuePairAddress>();
        for (int i = 0; i < QUEUE_PAIRS; i++) {
            int receives = i == CONTROL ? CONTROL_RECEIVES : RECEIVE_DEPTH;
            QueuePair queuePair = domain.createQueuePair(new QueuePairOptions(queue, queue, SEND_DEPTH, receives));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.INIT)
                    .set(QueuePairAttribute.PKEY_INDEX, 0)
                    .set(QueuePairAttribute.PORT, port.portNumber())
                    .set(
                            QueuePairAttribute.ACCESS_FLAGS,
                            QueuePairAttributes.ACCESS_REMOTE_WRITE | QueuePairAttributes.ACCESS_REMOTE_READ));
            if (i == CONTROL || postsReceivesOnLane) {
                postReceives(queuePair, i, receives);
            }
            queuePairs.add(queuePair);
            addresses.add(new QueuePairAddress(
                    port.attributes().lid(), queuePair.number(), 0, port.gid().gid()));
            freeSendSlots[i] = SEND_DEPTH;
            outstanding[i] = 0;
            unacknowledged[i] = 0;
        }
        nextSlot = 0;
        nextIncoming = 0;
        messages.clear();
        contents.clear();
        refusal = null;
        failed = false;
        long connectionId = random.nextLong();
        var offer = new ConnectionParameters(
                ConnectionParameters.PROTOCOL_VERSION,
                name,
                incarnation,
                connectionId,
                ++attempts,
                addresses,
                new RemoteRegion(region.address() + (long) SEND_DEPTH * SLOT_BYTES, region.remoteKey()),
                SLOTS,
                SLOT_BYTES,
                RECEIVE_DEPTH,
                port.mtu(),
                port.attributes().maxMessageBytes(),
                ChannelOptions.MIN_STRIPE_BYTES,
                READS_AT_ONCE,
                0,
                port.fabric());
        var _ = acceptor.onOffer(change.apply(offer)).whenComplete((answer, error) -> {
            if (answer instanceof OfferAnswer.Accepted(ConnectionParameters parameters)) {
                connect(parameters);
                var _ = acceptor.onReady(name, incarnation, connectionId);
                victim = parameters;
            } else {
                refusal = error != null ? error : new IllegalStateException("yielded");
                failed = true;
            }
        });
    }

    private static void postReceives(QueuePair queuePair, int index, int count) {
        for (int i = 0; i < count; i++) {
            queuePair.postReceive(index);
        }
    }

    /// Posts the receives that [#postsReceivesOnLane] has held back.
    void postReceivesOnLane() {
        postReceives(queuePairs.get(LANE), LANE, RECEIVE_DEPTH);
    }

    private void connect(ConnectionParameters parameters) {
        for (int i = 0; i < QUEUE_PAIRS; i++) {
            QueuePairAddress peer = parameters.queuePairs().get(i);
            QueuePair queuePair = queuePairs.get(i);
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR)
                    .address(
                            new AddressHandle(peer.gid(), peer.lid(), port.gid().index(), 0, 0, 255))
                    .set(QueuePairAttribute.PATH_MTU, 4096)
                    .set(QueuePairAttribute.DEST_QPN, peer.queuePairNumber())
                    .set(QueuePairAttribute.RQ_PSN, peer.packetSequenceNumber())
                    .set(QueuePairAttribute.MAX_DEST_RD_ATOMIC, READS_AT_ONCE)
                    .set(QueuePairAttribute.MIN_RNR_TIMER, 12));
            queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS)
                    .set(QueuePairAttribute.SQ_PSN, 0)
                    .set(QueuePairAttribute.TIMEOUT, 8)
                    .set(QueuePairAttribute.RETRY_COUNT, 3)
                    .set(QueuePairAttribute.RNR_RETRY, 7)
                    .set(QueuePairAttribute.MAX_RD_ATOMIC, READS_AT_ONCE));
        }
    }

    boolean isConnected() {
        return victim != null && !failed;
    }

    /// Whether the channel is gone, or was refused.
    boolean hasFailed() {
        return failed;
    }

    @Nullable
    Throwable refusal() {
        return refusal;
    }

    /// Another life of the process.
    void restart() {
        incarnation = random.nextLong();
    }

    /// Writes that were posted since the start.
    long written() {
        return written;
    }

    /// Whether the rules allow another message or content now, with some room for acknowledgements.
    boolean mayWrite(int queuePair) {
        return isConnected()
                && freeSendSlots[queuePair] > 8
                && outstanding[queuePair] < (queuePair == CONTROL ? SLOTS : RECEIVE_DEPTH - 8);
    }

    boolean canPost(int queuePair) {
        return isConnected() && freeSendSlots[queuePair] > 0;
    }

    void send(Message message) {
        sendBytes(slotOf(message));
    }

    /// The bytes of a slot that holds these, one behind the other.
    static byte[] slotOf(Message... together) {
        byte[] bytes = new byte[SLOT_BYTES];
        MemorySegment slot = MemorySegment.ofArray(bytes);
        int length = 0;
        int last = 0;
        for (Message message : together) {
            if (length > 0) {
                MessageCodec.markFollowed(slot, last);
            }
            last = length;
            length += message.encode(slot, length, SLOT_BYTES - length);
        }
        return Arrays.copyOf(bytes, length);
    }

    /// Writes any bytes to the next slot of the victim's ring and says that it is a message.
    void sendBytes(byte[] bytes) {
        ConnectionParameters to = connected();
        long staging = (long) nextStaging * SLOT_BYTES;
        nextStaging = (nextStaging + 1) % SEND_DEPTH;
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, staging, bytes.length);
        long slot = (long) nextSlot * SLOT_BYTES;
        nextSlot = (nextSlot + 1) % SLOTS;
        post(
                CONTROL,
                region.address() + staging,
                bytes.length,
                to.ring().address() + slot,
                to.ring().remoteKey(),
                Immediate.CONTROL_MESSAGE);
    }

    /// Writes no bytes, with this immediate.
    void immediate(int queuePair, int immediate) {
        post(queuePair, 0, 0, 0, 0, immediate);
    }

    /// Writes `length` bytes of its own memory, whatever they are.
    void content(int requestIndex, long length, long remoteAddress, int remoteKey) {
        post(LANE, contentAddress(), length, remoteAddress, remoteKey, requestIndex);
    }

    /// Writes `length` bytes of its own memory over any queue pair, without an immediate.
    void writeOver(int queuePair, long length, long remoteAddress, int remoteKey) {
        freeSendSlots[queuePair]--;
        written++;
        queuePairs
                .get(queuePair)
                .postSend(request.write(
                        queuePair, contentAddress(), length, region.localKey(), remoteAddress, remoteKey));
    }

    /// Reads `length` bytes into the memory for contents over any queue pair.
    void readOver(int queuePair, long length, long remoteAddress, int remoteKey) {
        freeSendSlots[queuePair]--;
        queuePairs
                .get(queuePair)
                .postSend(
                        request.read(queuePair, contentAddress(), length, region.localKey(), remoteAddress, remoteKey));
    }

    /// The ring that the victim told of.
    RemoteRegion ring() {
        return connected().ring();
    }

    private void post(int queuePair, long local, long length, long remote, int remoteKey, int immediate) {
        freeSendSlots[queuePair]--;
        outstanding[queuePair]++;
        written++;
        queuePairs
                .get(queuePair)
                .postSend(request.writeWithImmediate(
                        queuePair, local, length, region.localKey(), remote, remoteKey, immediate));
    }

    /// Memory that contents may be asked into, [#HEAP_BYTES] of it.
    long contentAddress() {
        return region.address() + (SEND_DEPTH + SLOTS) * (long) SLOT_BYTES;
    }

    MemorySegment contentMemory() {
        return memory.asSlice((SEND_DEPTH + SLOTS) * (long) SLOT_BYTES);
    }

    int contentKey() {
        return region.remoteKey();
    }

    /// Opens [#contentMemory()] to the victim's READs.
    int readableKey() {
        return readable.remoteKey();
    }

    /// Takes the arrived completions; returns their number.
    int poll() {
        if (completions == null || victim == null) {
            return 0;
        }
        int count = completions.poll(256, this::onCompletion);
        for (int i = 0; acknowledges && i < QUEUE_PAIRS; i++) {
            int batch = (i == CONTROL ? SLOTS : RECEIVE_DEPTH) / 4;
            while (unacknowledged[i] >= batch && canPost(i)) {
                unacknowledged[i] -= batch;
                immediate(i, Immediate.ACKNOWLEDGEMENT);
            }
        }
        return count;
    }

    private void onCompletion(WorkCompletion completion) {
        int queuePair = (int) completion.workId();
        if (completion.status() != WorkStatus.SUCCESS) {
            failed = true;
            return;
        }
        if (completion.opcode() != WorkCompletion.Opcode.RECEIVE_RDMA_WITH_IMM) {
            freeSendSlots[queuePair]++;
            return;
        }
        queuePairs.get(queuePair).postReceive(queuePair);
        unacknowledged[queuePair]++;
        int immediate = completion.immediate();
        if (immediate == Immediate.ACKNOWLEDGEMENT) {
            outstanding[queuePair] -= (queuePair == CONTROL ? SLOTS : RECEIVE_DEPTH) / 4;
        } else if (queuePair == CONTROL) {
            long slot = (long) (SEND_DEPTH + nextIncoming) * SLOT_BYTES;
            nextIncoming = (nextIncoming + 1) % SLOTS;
            slotReader.open(memory, slot);
            do {
                messages.add(inFull(slotReader.nextMessage()));
            } while (slotReader.hasMore());
        } else {
            contents.add(immediate);
        }
    }

    /// A request with its key, where the victim gave only its number.
    private Message inFull(Message message) {
        if (message instanceof Message.TensorRequest request && request.nameId() != NameId.NONE) {
            names.put(request.nameId(), request);
        } else if (message instanceof Message.RepeatedRequest again) {
            Message.TensorRequest first = names.get(again.nameId());
            if (first == null) {
                throw new IllegalStateException("the victim gave a number that stands for nothing");
            }
            return new Message.TensorRequest(
                    again.stepId(),
                    again.requestIndex(),
                    NameId.NONE,
                    first.key(),
                    first.metaData(),
                    again.address(),
                    again.remoteKey(),
                    first.wantsChecksum(),
                    false);
        }
        return message;
    }

    /// The oldest message of the victim that was not taken yet.
    @Nullable
    Message takeMessage() {
        return messages.poll();
    }

    /// The request indexes whose contents landed on this connection.
    List<Integer> contents() {
        return contents;
    }

    private ConnectionParameters connected() {
        if (victim == null) {
            throw new IllegalStateException("not connected");
        }
        return victim;
    }

    private void disconnect() {
        queuePairs.forEach(QueuePair::close);
        queuePairs.clear();
        if (completions != null) {
            completions.close();
            completions = null;
        }
        victim = null;
        names.clear();
    }

    @Override
    public void close() {
        disconnect();
        region.close();
        readable.close();
        domain.close();
        port.device().close();
        arena.close();
    }
}
