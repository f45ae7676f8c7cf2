package io.tensorferry.it.interop;

import io.tensorferry.it.device.VerbsDevices;
import io.tensorferry.verbs.device.choice.ChosenPort;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;

/// Plays ping-pong with `ibv_rc_pingpong` or with another instance of this class. Client and server send alternately,
/// the client first; every message is a SEND.
///
/// The C program uses the same memory to send and to receive, so it returns the message that it received. A client
/// therefore receives each of its messages back, and a server that answers with a new message finds it in the client's
/// next.
public final class PingPongGame {
    private final PingPongPlan plan;

    public PingPongGame(PingPongPlan plan) {
        this.plan = plan;
    }

    /// Plays as the client, and expects each message back.
    ///
    /// @throws PingPongException if a message is wrong or an operation fails
    /// @throws IOException if the peer cannot be reached, or ends the connection
    public PingPongReport ask(String host, int tcpPort) throws IOException, InterruptedException {
        ChosenPort port = VerbsDevices.open(plan.rdma());
        try (var _ = port.device();
                var end = new PingPongEnd(port, plan)) {
            end.connect(PingPongHandshake.ask(host, tcpPort, end.address(), plan.limit()));
            long startNs = System.nanoTime();
            for (int round = 0; round < plan.iterations(); round++) {
                PingPongContent.fill(end.outgoing, round);
                end.send();
                end.await(round + 1, round + 1);
                PingPongContent.check(end.incoming, end.outgoing, round);
            }
            return report(end, plan.iterations(), startNs);
        }
    }

    /// Plays as the server for one client.
    ///
    /// @param listener the socket on which the client connects; stays open
    /// @param reply the content of the answers
    /// @param pages whether the client promises zeros at the beginning of each page, as `-c` does
    /// @throws PingPongException if a message is wrong or an operation fails
    /// @throws IOException if no client connects, or it ends the connection
    public PingPongReport answer(ServerSocket listener, Reply reply, boolean pages) throws IOException {
        ChosenPort port = VerbsDevices.open(plan.rdma());
        try (var _ = port.device();
                var end = new PingPongEnd(port, plan)) {
            PingPongHandshake.answer(listener, end.address(), plan.limit(), end::connect);
            long startNs = System.nanoTime();
            int checked = 0;
            for (int round = 0; round < plan.iterations(); round++) {
                end.await(round, round + 1);
                if (round == 0 && pages) {
                    PingPongContent.checkPages(end.incoming);
                }
                if (reply == Reply.ECHO) {
                    end.outgoing.copyFrom(end.incoming);
                } else {
                    if (round > 0) {
                        PingPongContent.check(end.incoming, end.outgoing, round);
                        checked++;
                    }
                    PingPongContent.fill(end.outgoing, round);
                }
                end.send();
            }
            end.await(plan.iterations(), plan.iterations());
            return report(end, checked, startNs);
        }
    }

    private static PingPongReport report(PingPongEnd end, int checked, long startNs) {
        return new PingPongReport(end.sent(), end.received(), checked, Duration.ofNanos(System.nanoTime() - startNs));
    }

    /// The content of a server's answers.
    public enum Reply {
        /// New bytes in each answer, which the C program's client returns.
        FRESH,
        /// The received bytes, as in the C program.
        ECHO
    }
}
