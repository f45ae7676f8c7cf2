package io.tensorferry.verbs.device.software.tcp;

import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.software.core.Link;
import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.core.QueuePairSettings;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The two connections of a queue pair, and the search for the peer.
///
/// The peer is dialled when the queue pair comes to RTS. Where nobody answers or the peer's queue pair is not
/// ready, it is dialled again and again while requests wait, and they fail when the retry budget of `timeout` and
/// `retry_cnt` is used up. Once established, a connection that breaks is the end: the peer's process or queue pair
/// is gone, and outstanding requests fail at once, or else the next one does.
///
/// Threading: on the loop only.
final class TcpLink implements Link {
    private static final Logger LOG = LoggerFactory.getLogger(TcpLink.class);
    /// A budget shorter than this would measure the scheduling of two processes, not whether the peer is there.
    private static final long LEAST_BUDGET_NS = 250_000_000;

    private static final long LEAST_REDIAL_NS = 1_000_000;
    private static final long MOST_REDIAL_NS = 20_000_000;

    /// How requests reach the peer now.
    private enum Way {
        NONE(""),
        CONNECTION("TCP"),
        BESIDE("shared memory");

        private final String name;

        Way(String name) {
            this.name = name;
        }
    }

    private final TcpCarrier carrier;
    private final SoftwareQueuePair queuePair;
    private @Nullable RequesterSide requesterSide;
    private @Nullable ResponderSide responderSide;
    private boolean lost;
    /// Requests wait for a connection, and the time is being taken.
    private boolean searching;
    private long deadline;
    private boolean redialScheduled;
    /// Tells timers of an earlier connection from those of this one.
    private int epoch;
    /// The peer and this end could not use the [Bypass], though it was agreed on.
    private boolean withoutBypass;
    private volatile Way way = Way.NONE;

    TcpLink(TcpCarrier carrier, SoftwareQueuePair queuePair) {
        this.carrier = carrier;
        this.queuePair = queuePair;
    }

    SoftwareQueuePair queuePair() {
        return queuePair;
    }

    IoLoop loop() {
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
                requesterSide = new RequesterSide(this, channel, new InetSocketAddress(host, address.destinationLid()));
            } catch (IOException failure) {
                channel.close();
                throw failure;
            }
        } catch (IOException failure) {
            LOG.debug("queue pair {} does not reach {}", queuePair.number(), address, failure);
            scheduleRedial();
        }
    }

    @Override
    public void requireWay(AddressHandle peer) {
        String obstacle = carrier.obstacle(carrier.address(peer.destination()));
        if (obstacle != null) {
            throw new VerbsException("ibv_modify_qp", VerbsException.EINVAL, obstacle);
        }
    }

    @Override
    public boolean takesAtOnce() {
        return way == Way.BESIDE;
    }

    @Override
    public String way() {
        return way.name;
    }

    /// The other way to the peer, to be offered; null if there is none.
    Bypass.@Nullable Requests requestsBeside(Bypass.End end) {
        Bypass bypass = carrier.bypass();
        InetAddress host = carrier.address(queuePair.settings().address().destination());
        return bypass == null || withoutBypass || !carrier.isThisHost(host) ? null : bypass.requests(queuePair, end);
    }

    /// The peer took the offer, and now it cannot be used here: the next hello makes none.
    void doWithoutBypass() {
        withoutBypass = carrier.mayUseConnections();
    }

    /// Whether requests may go over connections.
    boolean mayUseConnections() {
        return carrier.mayUseConnections();
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

    /// The peer's queue pair took the hello.
    void established() {
        searching = false;
        RequesterSide side = requesterSide;
        boolean beside = side != null && side.isBeside();
        way = beside ? Way.BESIDE : Way.CONNECTION;
        counters().addConnection(beside);
        LOG.debug("queue pair {} sends over {}", queuePair.number(), way());
        transmit();
    }

    @Override
    public void transmit() {
        if (!queuePair.requester().hasOutstanding()) {
            return;
        }
        RequesterSide side = requesterSide;
        if (lost) {
            queuePair.requester().lost();
        } else if (side != null && side.isEstablished()) {
            side.transmit();
        } else {
            search();
            if (side == null && !redialScheduled) {
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
        RequesterSide side = requesterSide;
        boolean answering = side != null && (side.isEstablished() || side.isGreeting());
        if (started == epoch && searching && !answering && loop().now() - deadline >= 0) {
            queuePair.requester().lost();
        }
    }

    /// Nobody took the call, or the peer's queue pair is not ready for this one.
    void notAccepted(RequesterSide side) {
        if (side == requesterSide) {
            requesterSide = null;
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

    /// Somebody took the call and then said nothing.
    void noAnswer(RequesterSide side) {
        if (side == requesterSide) {
            requesterSide = null;
            queuePair.requester().lost();
        }
    }

    /// An established connection is broken.
    void lost(RequesterSide side) {
        if (side == requesterSide) {
            requesterSide = null;
            way = Way.NONE;
            lost = true;
            queuePair.requester().lost();
        }
    }

    /// A requester asks for this queue pair, and offers a [Bypass] or not. Takes over the connection if it is the peer
    /// that this queue pair is
    /// connected to, in a state to answer it.
    boolean accept(Connection connection, Frame.Hello hello, InetAddress source, @Nullable ByteBuffer offer) {
        QueuePairSettings settings = queuePair.settings();
        AddressHandle peer = settings.address();
        boolean expected = queuePair.answers()
                && responderSide == null
                && hello.asking() == settings.destination()
                && hello.address() == peer.destination().ipv4Address()
                && hello.lid() == peer.destinationLid()
                && carrier.address(peer.destination()).equals(source)
                && hello.sequence() == queuePair.responder().expectedSequence();
        if (!expected) {
            return false;
        }
        var side = new ResponderSide(this, connection, hello.rnrRetry());
        Bypass bypass = carrier.bypass();
        Bypass.Answers answers = bypass == null || offer == null
                ? null
                : bypass.answers(queuePair, hello.rnrRetry(), offer, side::endBeside);
        if (answers == null && !carrier.mayUseConnections()) {
            LOG.error(
                    "queue pair {} is asked for by a peer that it cannot share memory with, and nothing else is allowed",
                    queuePair.number());
            return false;
        }
        responderSide = side;
        side.accept(answers);
        return true;
    }

    void detach(ResponderSide side) {
        if (side == responderSide) {
            responderSide = null;
        }
    }

    @Override
    public void receivePosted() {
        ResponderSide side = responderSide;
        if (side != null) {
            side.retry();
        }
    }

    @Override
    public void drop() {
        epoch++;
        searching = false;
        redialScheduled = false;
        lost = false;
        way = Way.NONE;
        withoutBypass = false;
        RequesterSide requests = requesterSide;
        requesterSide = null;
        if (requests != null) {
            requests.end();
        }
        ResponderSide answers = responderSide;
        responderSide = null;
        if (answers != null) {
            answers.end();
        }
    }
}
