package io.tensorferry.verbs.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.ContentWrite;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import io.tensorferry.verbs.channel.lane.MemoryNaming;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.OutgoingMessage;
import io.tensorferry.verbs.wire.RequestIndex;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Pieces of a content, each named with its own key and written over its lane.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PieceNamingTest {
    private static final int PIECE = TwoEnds.CHUNK;
    private static final int INDEX = RequestIndex.of(7, 1);
    private static final int PIECES_AT_ONCE = 8;

    private final List<Integer> lanes = new ArrayList<>();
    private final List<MemoryGrant> grants = new ArrayList<>();
    private int written;
    private int abandoned;
    private @Nullable TwoEnds opened;
    private RegisteredBuffer source;
    private RegisteredBuffer target;

    private TwoEnds open(RemoteKeyScope scope, int pieces) {
        var ends = new TwoEnds(scope, PIECES_AT_ONCE);
        opened = ends;
        source = ends.source(pieces * PIECE);
        target = ends.target(pieces * PIECE);
        ends.receiver.onContent = (index, lane) -> {
            assertThat(index).isEqualTo(INDEX);
            lanes.add(lane);
        };
        return ends;
    }

    @AfterEach
    void close() {
        if (opened != null) {
            source.close();
            target.close();
            opened.close();
        }
    }

    private final class Write extends ContentWrite {
        Write(Message.TensorPiece named, long address) {
            set(
                    source.address() + (long) named.piece() * PIECE,
                    PIECE,
                    source.localKey(),
                    address,
                    named.remoteKey(),
                    INDEX);
        }

        @Override
        public void onWritten() {
            written++;
        }

        @Override
        public void onAbandoned() {
            abandoned++;
        }
    }

    /// The receiver names the next piece.
    private void name(RdmaChannel channel) {
        int number = grants.size();
        long address = target.address() + (long) number * PIECE;
        grants.add(channel.namePiece(
                new NamedMemory(target.region(), address, PIECE),
                channel.laneOfPiece(INDEX, number),
                new MemoryNaming() {
                    @Override
                    public OutgoingMessage message(int remoteKey) {
                        return new Message.TensorPiece(1, INDEX, number, PIECE, address, remoteKey);
                    }

                    @Override
                    public void onRefused(TransportException cause) {
                        throw new AssertionError(cause);
                    }
                }));
    }

    /// The sender has received the name of a piece.
    private static Message.TensorPiece heard(TwoEnds ends, int number) {
        ends.await(() -> ends.sender.messages.size() > number, "piece " + number + " is named");
        Message.TensorPiece piece = (Message.TensorPiece) ends.sender.messages.get(number);
        assertThat(piece.piece()).isEqualTo(number);
        return piece;
    }

    /// Pieces as large as a content that is striped: still each goes over one lane, and is reported at once.
    @ParameterizedTest
    @EnumSource(RemoteKeyScope.class)
    void eachPieceComesOverItsLaneAndIsToldByIt(RemoteKeyScope scope) {
        int count = 7;
        TwoEnds ends = open(scope, count);
        for (int i = 0; i < count; i++) {
            name(ends.receiver.channel());
        }
        for (int i = 0; i < count; i++) {
            Message.TensorPiece piece = heard(ends, i);
            int lane = ends.sender.channel().laneOfPiece(INDEX, i);
            ends.sender.channel().writePart(new Write(piece, piece.address()), lane);
            int landed = i + 1;
            ends.await(() -> lanes.size() == landed, "piece " + i + " lands");
            assertThat(lanes).last().isEqualTo(lane);
        }
        assertThat(lanes).containsExactly(3, 1, 2, 3, 1, 2, 3);
        assertThat(source.segment().mismatch(target.segment())).isEqualTo(-1);
        var revoked = new ArrayList<Integer>();
        for (int i = 0; i < count; i++) {
            int number = i;
            grants.get(i).revoke(() -> revoked.add(number));
        }
        ends.await(() -> revoked.size() == count && written == count, "all are revoked");
    }

    @Test
    void aKeyOfAPieceOpensNothingOverAnotherLane() {
        TwoEnds ends = open(RemoteKeyScope.REQUEST, 1);
        name(ends.receiver.channel());
        Message.TensorPiece piece = heard(ends, 0);
        int lane = ends.sender.channel().laneOfPiece(INDEX, 0);
        ends.sender.channel().writePart(new Write(piece, piece.address()), 1 + lane % TwoEnds.LANES);
        assertRefused(ends);
    }

    @Test
    void aKeyOfAPieceOpensNoByteBehindIt() {
        TwoEnds ends = open(RemoteKeyScope.REQUEST, 2);
        name(ends.receiver.channel());
        Message.TensorPiece piece = heard(ends, 0);
        ends.sender
                .channel()
                .writePart(
                        new Write(piece, piece.address() + 1),
                        ends.sender.channel().laneOfPiece(INDEX, 0));
        assertRefused(ends);
    }

    @Test
    void aKeyOfAPieceOpensNothingWhenItIsRevoked() {
        TwoEnds ends = open(RemoteKeyScope.REQUEST, 2);
        name(ends.receiver.channel());
        name(ends.receiver.channel());
        Message.TensorPiece first = heard(ends, 0);
        Message.TensorPiece second = heard(ends, 1);
        var revoked = new ArrayList<Integer>();
        grants.getFirst().revoke(() -> revoked.add(0));
        ends.await(() -> !revoked.isEmpty(), "the first is revoked");
        RdmaChannel channel = ends.sender.channel();
        channel.writePart(new Write(second, second.address()), channel.laneOfPiece(INDEX, 1));
        ends.await(() -> written == 1, "the second is written");
        channel.writePart(new Write(first, first.address()), channel.laneOfPiece(INDEX, 0));
        assertRefused(ends, 1);
    }

    private void assertRefused(TwoEnds ends) {
        assertRefused(ends, 0);
    }

    /// The receiver's device refuses the write, which ends the channel; `before` were written earlier.
    private void assertRefused(TwoEnds ends, int before) {
        ends.await(() -> abandoned == 1, "the write is refused");
        assertThat(written).isEqualTo(before);
        assertThat(lanes).hasSize(before);
        assertThat(target.segment().asSlice(0, PIECE).toArray(ValueLayout.JAVA_BYTE))
                .containsOnly(0);
    }

    @ParameterizedTest
    @EnumSource(RemoteKeyScope.class)
    void overALostChannelNothingIsNamedAndNothingNeedsToBeRevoked(RemoteKeyScope scope) {
        TwoEnds ends = open(scope, 2);
        RdmaChannel lost = ends.receiver.channel();
        name(lost);
        heard(ends, 0);
        lost.onPeerLostIt();
        assertThat(lost.isOpen()).isFalse();
        name(lost);
        assertThat(grants.getLast()).isSameAs(MemoryGrant.LASTING);
        var revoked = new ArrayList<Integer>();
        grants.forEach(grant -> grant.revoke(() -> revoked.add(0)));
        ends.settle();
        assertThat(revoked).hasSize(2);
        assertThat(ends.sender.messages).hasSize(1);
    }

    /// The number is not negotiated: each end obeys the number of the other.
    @Test
    void eachEndKnowsHowManyPiecesTheOtherLetsItName() {
        TwoEnds ends = open(RemoteKeyScope.SLAB, 1);
        assertThat(ends.receiver.channel().description().peerPieces()).isEqualTo(PIECES_AT_ONCE);
        assertThat(ends.sender.channel().description().peerPieces()).isZero();
    }
}
