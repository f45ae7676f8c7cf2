package io.tensorferry.verbs.device.software.connect;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Accepts the connections of peers, and holds those without a hello for a limited time. Their number is limited; a new
/// connection displaces the oldest.
///
/// Threading: on the loop only.
final class Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
    private static final long PAUSE_NS = 100_000_000;
    private static final int ACCEPTS_AT_ONCE = 16;

    private final InterprocessCarrier carrier;
    private final ServerSocketChannel channel;
    private final SelectionKey key;
    private final int mostGreetings;
    private final Set<Greeting> greetings = new LinkedHashSet<>();

    Listener(InterprocessCarrier carrier, ServerSocketChannel channel, int mostGreetings) throws IOException {
        this.carrier = carrier;
        this.channel = channel;
        this.mostGreetings = mostGreetings;
        this.key = carrier.loop().register(channel, SelectionKey.OP_ACCEPT, this::accept);
    }

    private void accept() {
        for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
            try {
                SocketChannel peer = channel.accept();
                if (peer == null) {
                    return;
                }
                greet(peer);
            } catch (IOException failure) {
                // Most likely this process has no file descriptor left. The connection stays queued, and an immediate
                // retry would only consume CPU time.
                LOG.warn("cannot accept a peer's connection now", failure);
                key.interestOps(0);
                carrier.loop().schedule(PAUSE_NS, this::listenAgain);
                return;
            }
        }
    }

    private void listenAgain() {
        if (key.isValid()) {
            key.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    private void greet(SocketChannel peer) throws IOException {
        InterprocessCarrier.configure(peer);
        var source = (InetSocketAddress) peer.getRemoteAddress();
        if (greetings.size() >= mostGreetings) {
            greetings.iterator().next().end();
        }
        greetings.add(new Greeting(carrier, this, peer, source.getAddress()));
    }

    /// Removes a connection that delivered its hello or has ended.
    void forget(Greeting greeting) {
        greetings.remove(greeting);
    }
}
