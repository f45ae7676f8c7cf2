package io.tensorferry.verbs.device.software.connect;

import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.core.Link;
import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.core.QueuePairSettings;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import io.tensorferry.verbs.device.software.loop.Connection;
import io.tensorferry.verbs.device.software.loop.DeviceEventLoop;
import io.tensorferry.verbs.device.software.loop.Direction;
import io.tensorferry.verbs.device.software.shared.RingEnd;
import io.tensorferry.verbs.device.software.shared.RingRequester;
import io.tensorferry.verbs.device.software.shared.SharedMemory;
import io.tensorferry.verbs.device.software.stream.Frame;
import io.tensorferry.verbs.device.software.stream.FrameOutput;
import io.tensorferry.verbs.device.software.stream.StreamResponder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The two directions of a queue pair between processes, and the search for the peer.
///
/// The link dials the peer when the queue pair reaches RTS. If no process answers, or the peer's queue pair is not
/// ready, it redials while requests wait. They fail when the retry budget of `timeout` and `retry_cnt` is exhausted. A
/// broken established connection is final: the peer's process or queue pair is gone. Outstanding requests then fail at
/// once; without any, the next request fails.
///
/// Threading: on the loop only.
final class InterprocessLink implements Link {
    private static final Logger LOG = LoggerFactory.getLogger(InterprocessLink.class);
    /// A shorter budget would measure the scheduling of two processes instead of the peer's presence.
    private static final long LEAST_BUDGET_NS = 250_000_000;

    private static final long LEAST_REDIAL_NS = 1_000_000;
    private static final long MOST_REDIAL_NS = 20_000_000;

    private final InterprocessCarrier carrier;
    private final SoftwareQueuePair queuePair;
    /// The connection attempt, until the peer answers the hello.
    private @Nullable Dial dial;
    /// Set once the peer accepts the hello.
    private @Nullable Direction requests;

    private @Nullable Direction answers;
    private boolean lost;
    /// Whether requests wait for a connection and their retry budget is running.
    private boolean searching;
    private long deadline;
    private boolean redialScheduled;
    /// Distinguishes timers of earlier connections from the current one.
    private int epoch;
    /// Set when the peer accepted the offer of a ring but its memory could not be mapped.
    private boolean offersNoRing;
    private volatile ConnectedBy connectedBy = ConnectedBy.NOTHING;

    InterprocessLink(InterprocessCarrier carrier, SoftwareQueuePair queuePair) {
        this.carrier = carrier;
        this.queuePair = queuePair;
    }

    SoftwareQueuePair queuePair() {
        return queuePair;
    }

    DeviceEventLoop loop() {
        return carrier.loop();
    }

    PayloadCounters counters() {
        return queuePair.device().counters();
    }

    long helloTimeoutNs() {
        return carrier.helloTimeoutNs();
    }

    @Override
    public void connect() {
        dial();
    }

    private void dial() {
        AddressHandle address = queuePair.settings().address();
        InetAddress host = carrier.address(address.destination());
        try {
            SocketChannel channel = carrier.newChannel();
            try {
                dial = new Dial(this, channel, new InetSocketAddress(host, address.destinationLid()));
            } catch (IOException failure) {
                channel.close();
                throw failure;
            }
        } catch (IOException failure) {
            LOG.debug("queue pair {} cannot connect to {}", queuePair.number(), address, failure);
            scheduleRedial();
        }
    }

    @Override
    public void requireReachable(AddressHandle peer) {
        String obstacle = carrier.obstacle(carrier.address(peer.destination()));
        if (obstacle != null) {
            throw new VerbsException("ibv_modify_qp", VerbsException.EINVAL, obstacle);
        }
    }

    @Override
    public boolean takesAtOnce() {
        return connectedBy == ConnectedBy.SHARED_MEMORY;
    }

    @Override
    public String way() {
        return connectedBy.text();
    }

    /// A shared-memory ring to offer to the peer; null if the peer is to use TCP.
    @Nullable
    RingRequester ringToOffer() {
        SharedMemory memory = carrier.sharedMemory();
        InetAddress host = carrier.address(queuePair.settings().address().destination());
        return memory == null || offersNoRing || !carrier.isThisHost(host) ? null : memory.requester(queuePair);
    }

    /// Stops offering rings, if TCP is allowed: the peer accepted the offer, but its memory cannot be mapped here.
    void offerNoRing() {
        offersNoRing = carrier.mayUseTcp();
    }

    boolean mayUseTcp() {
        return carrier.mayUseTcp();
    }

    Frame.Hello hello(boolean shared) {
        QueuePairSettings settings = queuePair.settings();
        return new Frame.Hello(
                settings.rnrRetry(),
                queuePair.requester().nextSequence(),
                settings.destination(),
                queuePair.number(),
                carrier.gid().ipv4Address(),
                carrier.lid(),
                shared);
    }

    /// Called when the peer's queue pair has accepted the hello.
    void established(Direction direction, ConnectedBy by) {
        searching = false;
        dial = null;
        requests = direction;
        connectedBy = by;
        counters().addConnection(by == ConnectedBy.SHARED_MEMORY);
        LOG.debug("queue pair {} sends over {}", queuePair.number(), way());
        transmit();
    }

    @Override
    public void transmit() {
        if (!queuePair.requester().hasOutstanding()) {
            return;
        }
        Direction established = requests;
        if (lost) {
            queuePair.requester().lost();
        } else if (established != null) {
            established.proceed();
        } else {
            search();
            if (dial == null && !redialScheduled) {
                dial();
            }
        }
    }

    private void search() {
        long budget = queuePair.settings().retryBudgetNs();
        if (!searching && budget != Long.MAX_VALUE) {
            long wait = Math.max(budget, LEAST_BUDGET_NS);
            searching = true;
            deadline = loop().now() + wait;
            int started = epoch;
            loop().schedule(wait, () -> giveUp(started));
        }
    }

    private void giveUp(int started) {
        Dial calling = dial;
        boolean answering = requests != null || (calling != null && calling.isGreeting());
        if (started == epoch && searching && !answering && loop().now() - deadline >= 0) {
            queuePair.requester().lost();
        }
    }

    /// Called when the connection was not accepted, or the peer's queue pair is not ready for this one.
    void notAccepted(Dial call) {
        if (call.equals(dial)) {
            dial = null;
            scheduleRedial();
        }
    }

    private void scheduleRedial() {
        if (!queuePair.requester().hasOutstanding()) {
            // The next request dials.
            return;
        }
        search();
        if (searching && loop().now() - deadline >= 0) {
            queuePair.requester().lost();
        } else if (!redialScheduled) {
            redialScheduled = true;
            int started = epoch;
            long interval = queuePair.settings().retryIntervalNs();
            loop().schedule(Math.clamp(interval, LEAST_REDIAL_NS, MOST_REDIAL_NS), () -> {
                if (started == epoch) {
                    redialScheduled = false;
                    transmit();
                }
            });
        }
    }

    /// Called when the peer accepted the connection but did not answer the hello.
    void noAnswer(Dial call) {
        if (call.equals(dial)) {
            dial = null;
            queuePair.requester().lost();
        }
    }

    /// Called when the established direction of requests breaks.
    void lost(Direction direction) {
        if (direction.equals(requests)) {
            requests = null;
            connectedBy = ConnectedBy.NOTHING;
            lost = true;
            queuePair.requester().lost();
        }
    }

    /// Handles a requester's hello for this queue pair. Takes over the connection if this queue pair is connected to
    /// that requester and is in a state to answer it.
    ///
    /// @param offer the frame SHARED that came with the hello; null if none came
    boolean accept(Connection connection, Frame.Hello hello, InetAddress source, @Nullable ByteBuffer offer) {
        QueuePairSettings settings = queuePair.settings();
        AddressHandle peer = settings.address();
        boolean expected = queuePair.answers()
                && answers == null
                && hello.asking() == settings.destination()
                && hello.address() == peer.destination().ipv4Address()
                && hello.lid() == peer.destinationLid()
                && carrier.address(peer.destination()).equals(source)
                && hello.sequence() == queuePair.responder().expectedSequence();
        if (!expected) {
            return false;
        }
        SharedMemory memory = carrier.sharedMemory();
        RingEnd ring = memory == null || offer == null ? null : memory.responder(queuePair, hello.rnrRetry(), offer);
        if (ring != null) {
            acceptRing(connection, ring);
            return true;
        }
        if (!carrier.mayUseTcp()) {
            LOG.error(
                    "queue pair {} rejects a peer that it cannot share memory with, because TCP is not allowed",
                    queuePair.number());
            return false;
        }
        var stream = new StreamResponder(queuePair, connection, hello.rnrRetry(), this::detach);
        answers = stream;
        stream.accept();
        return true;
    }

    private void acceptRing(Connection connection, RingEnd ring) {
        answers = new SharedDirection(connection, counters(), ring, this::detach);
        var output = new FrameOutput(connection.channel(), counters());
        ByteBuffer acceptance = output.addFrame();
        Frame.putAnswer(acceptance, Frame.HELLO_ACCEPTED, 0, WorkStatus.SUCCESS, 0);
        Frame.setShared(acceptance);
        ByteBuffer position = output.addFrame();
        Frame.putShared(position);
        ring.putOffer(position);
        connection.guarded(() -> {
            if (output.flush() != FrameOutput.Step.DONE) {
                throw new IOException("a new connection did not accept the answer to its hello");
            }
        });
    }

    private void detach(Direction direction) {
        if (direction.equals(answers)) {
            answers = null;
        }
    }

    @Override
    public void receivePosted() {
        Direction established = answers;
        if (established != null) {
            established.proceed();
        }
    }

    @Override
    public void drop() {
        epoch++;
        searching = false;
        redialScheduled = false;
        lost = false;
        connectedBy = ConnectedBy.NOTHING;
        offersNoRing = false;
        Dial calling = dial;
        dial = null;
        if (calling != null) {
            calling.end();
        }
        endIfEstablished(requests);
        requests = null;
        endIfEstablished(answers);
        answers = null;
    }

    private static void endIfEstablished(@Nullable Direction direction) {
        if (direction != null) {
            direction.end();
        }
    }
}
