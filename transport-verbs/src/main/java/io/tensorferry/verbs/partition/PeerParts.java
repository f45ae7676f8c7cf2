package io.tensorferry.verbs.partition;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The parts that this worker and one peer read of each other, on the channel between them. The reader assigns the part
/// numbers.
///
/// Owner: the loop.
final class PeerParts {
    private final String name;
    private final Function<String, @Nullable OpenTensor> tensors;
    private final BitSet numbers = new BitSet();
    private final Map<Integer, ReadRight> rights = new HashMap<>();
    private final Map<Integer, Reader> readers = new HashMap<>();
    private boolean stranded;
    // The cause for which no more rights are granted.
    private @Nullable TransportException stopped;

    /// @param tensors the open tensors of this worker, by name
    PeerParts(String name, Function<String, @Nullable OpenTensor> tensors) {
        this.name = name;
        this.tensors = tensors;
    }

    /// A peer's right to read a part of this worker, or its pending request for it.
    private static final class Reader {
        private final RdmaChannel channel;
        private final int number;
        private final String tensorName;
        private final TensorMetaData metaData;
        private @Nullable OpenTensor granted;
        private boolean ended;

        Reader(RdmaChannel channel, Message.PartOpen open) {
            this.channel = channel;
            this.number = open.part();
            this.tensorName = open.name();
            this.metaData = open.metaData();
        }

        boolean waitsFor(OpenTensor tensor) {
            return granted == null && !ended && tensorName.equals(tensor.spec().name());
        }

        /// Grants the right if the tensor is published; otherwise the reader waits.
        void serve(OpenTensor tensor) {
            if (!metaData.equals(tensor.metaData())) {
                end(
                        StatusCode.INVALID_ARGUMENT,
                        "the workers disagree: the owner has " + tensor.metaData() + ", the reader " + metaData);
            } else if (tensor.isPublished()) {
                granted = tensor;
                OwnedRows rows = tensor.rows();
                rows.hold();
                channel.send(new Message.PartGrant(
                        number, rows.range().first(), rows.part().byteSize(), rows.address(), rows.remoteKey()));
            }
        }

        /// Ends the right: the reader must begin no more reads.
        void end(StatusCode code, String why) {
            if (!ended) {
                ended = true;
                channel.send(new Message.PartStatus(number, Message.Direction.TO_RECEIVER, code, why));
            }
        }

        /// Releases the rows, because the peer reads no more.
        void letGo() {
            OpenTensor tensor = granted;
            granted = null;
            if (tensor != null) {
                tensor.rows().letGo();
            }
        }
    }

    String name() {
        return name;
    }

    /// Creates a right to request on a channel; null if there are too many.
    @Nullable
    ReadRight ask(RdmaChannel channel, RowSource source) {
        int free = numbers.nextClearBit(0);
        if (free >= Message.OfPart.COUNT) {
            return null;
        }
        numbers.set(free);
        var right = new ReadRight(free, channel, source);
        rights.put(free, right);
        return right;
    }

    void giveUp(ReadRight right) {
        if (right.giveUp()) {
            forget(right);
        }
    }

    private void forget(ReadRight right) {
        rights.remove(right.number());
        numbers.clear(right.number());
    }

    void onMessage(RdmaChannel from, Message.OfPart message) {
        switch (message) {
            case Message.PartOpen open -> onOpen(from, open);
            case Message.PartGrant grant -> right(grant.part()).onGrant(grant);
            case Message.PartStatus status -> {
                switch (status.direction()) {
                    case TO_RECEIVER -> {
                        ReadRight right = right(status.part());
                        if (right.onStatus(status)) {
                            forget(right);
                        }
                    }
                    case TO_SENDER -> onGivenUp(status.part());
                }
            }
        }
    }

    private ReadRight right(int number) {
        ReadRight right = rights.get(number);
        if (right == null) {
            throw new ProtocolViolationException("part " + number + " was not requested");
        }
        return right;
    }

    private void onOpen(RdmaChannel from, Message.PartOpen open) {
        var reader = new Reader(from, open);
        if (readers.putIfAbsent(open.part(), reader) != null) {
            throw new ProtocolViolationException("part " + open.part() + " was requested twice");
        }
        OpenTensor tensor = tensors.apply(open.name());
        if (stopped != null) {
            reader.end(stopped.code(), stopped.reasonWithDetails());
        } else if (tensor != null) {
            reader.serve(tensor);
        }
    }

    private void onGivenUp(int number) {
        Reader reader = readers.remove(number);
        if (reader == null) {
            throw new ProtocolViolationException("part " + number + " was given up but not requested");
        }
        reader.letGo();
        reader.end(StatusCode.ABORTED, "the reader no longer needs the part");
    }

    /// A tensor was opened or published: serves the readers that wait for it.
    void serve(OpenTensor tensor) {
        for (Reader reader : List.copyOf(readers.values())) {
            if (reader.waitsFor(tensor)) {
                reader.serve(tensor);
            }
        }
    }

    /// A tensor is closed. Its memory is held until its readers have confirmed that they read no more.
    void end(OpenTensor tensor, TransportException cause) {
        for (Reader reader : readers.values()) {
            if (reader.granted == tensor) {
                reader.end(cause.code(), cause.reasonWithDetails());
            }
        }
    }

    /// Grants nothing from now on.
    void stop(TransportException cause) {
        stopped = cause;
        for (Reader reader : readers.values()) {
            reader.end(cause.code(), cause.reasonWithDetails());
        }
    }

    /// The device may still read this worker's memory for the peer: it is never released.
    void onMemoryStranded() {
        stranded = true;
        rights.values().forEach(right -> right.source().onMemoryStranded());
    }

    void onChannelLost(ChannelLoss loss) {
        var lost = new ArrayList<>(rights.values());
        rights.clear();
        numbers.clear();
        if (!stranded) {
            readers.values().forEach(Reader::letGo);
        }
        stranded = false;
        readers.clear();
        for (ReadRight right : lost) {
            right.source().onChannelLost(right, loss);
        }
    }
}
