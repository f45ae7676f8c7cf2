package io.tensorferry.verbs.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.ContentWrite;
import io.tensorferry.verbs.channel.lane.MemoryNaming;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.OutgoingMessage;
import io.tensorferry.verbs.wire.RequestIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Parts of a content, each written over the given lane, from one end of a channel to the other.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ContentPartTest {
    private static final int LANES = TwoEnds.LANES;
    private static final int CHUNK = TwoEnds.CHUNK;
    private static final int INDEX = RequestIndex.of(7, 1);

    private final List<String> written = new ArrayList<>();
    private final List<String> contents = new ArrayList<>();
    private final TwoEnds ends = new TwoEnds(RemoteKeyScope.SLAB, 0);
    private final RdmaChannel channel = ends.sender.channel();
    private RegisteredBuffer source;
    private RegisteredBuffer target;

    private final class Part extends ContentWrite {
        private final String name;

        Part(String name, long offset, long length) {
            this.name = name;
            set(
                    source.address() + offset,
                    length,
                    source.localKey(),
                    target.address() + offset,
                    target.remoteKey(),
                    INDEX);
        }

        Part silent() {
            setSilent();
            return this;
        }

        @Override
        public void onWritten() {
            written.add(name);
        }

        @Override
        public void onAbandoned() {
            written.add(name + " abandoned");
        }
    }

    @AfterEach
    void close() {
        if (source != null) {
            source.close();
            target.close();
        }
        ends.close();
    }

    /// Memory at both ends; the receiver checks its own at the arrival of each content: all bytes that should be there
    /// before it are there.
    private void prepare(int bytes) {
        source = ends.source(bytes);
        target = ends.target(bytes);
        ends.receiver.onContent = (index, lane) -> contents.add("request " + RequestIndex.slot(index) + " lane " + lane
                + " differs at " + source.segment().mismatch(target.segment()));
    }

    @Test
    void partsOverOneLaneLandInTheirOrderAndTheLastTells() {
        int count = 200;
        prepare(count * CHUNK);
        assertThat(channel.chunkBytes()).isEqualTo(CHUNK);
        int lane = channel.laneOf(INDEX);
        assertThat(lane).isEqualTo(1 + Integer.remainderUnsigned(INDEX, LANES));
        var names = new ArrayList<String>();
        for (int i = 0; i < count; i++) {
            var part = new Part("part " + i, (long) i * CHUNK, CHUNK);
            names.add("part " + i);
            channel.writePart(i < count - 1 ? part.silent() : part, lane);
        }
        ends.await(() -> written.size() == count && !contents.isEmpty(), "all parts land");
        assertThat(contents).containsExactly("request 7 lane " + lane + " differs at -1");
        assertThat(written).isEqualTo(names);
    }

    /// The receiver awaits an immediate of each lane, also of lanes without bytes to write.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 40})
    void partsOverAllLanesHaveLandedWhenTheLastOfEachHas(int count) {
        prepare(count * CHUNK);
        var metaData = new TensorMetaData(DataType.UINT8, Shape.of(target.byteSize()), false, target.byteSize());
        ends.receiver
                .channel()
                .send(new NamedMemory(target.region(), target.address(), target.byteSize()), INDEX, new MemoryNaming() {
                    @Override
                    public OutgoingMessage message(int remoteKey) {
                        return new Message.TensorReRequest(1, INDEX, metaData, target.address(), remoteKey);
                    }

                    @Override
                    public void onRefused(TransportException cause) {
                        throw new AssertionError(cause);
                    }
                });
        ends.await(() -> !ends.sender.messages.isEmpty(), "the memory is named");
        assertThat(channel.lanesOf(target.byteSize())).isEqualTo(LANES);
        for (int i = 0; i < count; i++) {
            var part = new Part("part", (long) i * CHUNK, CHUNK);
            channel.writePart(i < count - LANES ? part.silent() : part, 1 + i % LANES);
        }
        for (int i = count; i < LANES; i++) {
            channel.writePart(new Part("part", 0, 0), 1 + i);
        }
        ends.await(() -> written.size() == Math.max(count, LANES) && !contents.isEmpty(), "all parts land");
        assertThat(contents)
                .singleElement()
                .asString()
                .startsWith("request 7 lane ")
                .endsWith(" differs at -1");
    }

    @Test
    void contentsThatNobodyAwaitsOverAllLanesAreToldByTheirLanes() {
        prepare(LANES * CHUNK);
        for (int lane = 1; lane <= LANES; lane++) {
            channel.writePart(new Part("part " + lane, (lane - 1L) * CHUNK, CHUNK), lane);
        }
        ends.await(() -> contents.size() == LANES, "each is told");
        assertThat(contents)
                .extracting(content -> content.replaceAll(" differs.*", ""))
                .containsExactlyInAnyOrder("request 7 lane 1", "request 7 lane 2", "request 7 lane 3");
        assertThat(contents).last().asString().endsWith(" differs at -1");
    }

    @Test
    void aPartThatCouldBeOvertakenIsRefused() {
        prepare(2 * CHUNK);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> channel.writePart(new Part("part", 0, CHUNK + 1), 1))
                .withMessageContaining("4097 bytes");
        assertThat(written).isEmpty();
    }

    /// The owner frees the memory of both parts when one is released, so neither may be released before the device.
    @Test
    void partsOfALostChannelAreGivenBackTogetherAtItsEnd() {
        prepare(3 * CHUNK);
        channel.writePart(new Part("first", 0, CHUNK).silent(), 1);
        channel.onPeerLostIt();
        assertThat(channel.isOpen()).isFalse();
        channel.writePart(new Part("second", CHUNK, CHUNK).silent(), 2);
        assertThat(written).isEmpty();
        ends.settle();
        assertThat(written).containsExactly("first abandoned", "second abandoned");
        channel.writePart(new Part("third", 2 * CHUNK, CHUNK), 1);
        assertThat(written).containsExactly("first abandoned", "second abandoned", "third abandoned");
        assertThat(contents).isEmpty();
    }
}
