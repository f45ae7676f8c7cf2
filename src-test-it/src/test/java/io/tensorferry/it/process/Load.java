package io.tensorferry.it.process;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/// Load without end between all nodes: each asks each other for one tensor after the other, several at a time, and
/// answers what it is asked. It goes on whatever becomes of the others, and keeps a book: every callback runs once, no
/// question or answer comes twice, every content is right.
///
/// A question that was matched with a failed receive of the peer is lost, and nothing tells this node. It therefore
/// asks again if a question has no answer for long, and counts that.
///
/// It tells the launcher `GONE n` when node `n` fails first, and `AGAIN n` with the first right answer after that, or
/// after the start.
///
/// Threading: one thread starts it, waits and ends it; receives end on the callback executor.
final class Load {
    /// One size each is asked for at a time.
    private static final long[] SIZES = {64, 4 << 10, 256 << 10, 2 << 20};

    private static final long PAUSE_MS = 50;
    private static final long LOOK_MS = 20;
    // Longer than any stop or cut that may lose no question.
    private static final long UNANSWERED_S = 20;
    private static final long END_LIMIT_NS = 20_000_000_000L;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final TransportServer server;
    private final Launcher launcher;
    private final int self;
    private final List<Integer> peers;
    private final long step;
    // Tells this life of the node from earlier ones.
    private final long life = System.nanoTime();
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
    private final Set<Integer> answering = ConcurrentHashMap.newKeySet();
    // Right answers of each peer, by slot.
    private final Map<Integer, AtomicLongArray> answers;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger right = new AtomicInteger();
    private final AtomicInteger wrong = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile boolean stopping;

    Load(TransportServer server, Launcher launcher, int self, int nodes, long step) {
        this.server = server;
        this.launcher = launcher;
        this.self = self;
        this.peers =
                IntStream.range(0, nodes).filter(node -> node != self).boxed().toList();
        this.step = step;
        this.answers =
                peers.stream().collect(Collectors.toMap(Function.identity(), _ -> new AtomicLongArray(SIZES.length)));
    }

    void start() {
        for (int peer : peers) {
            for (int slot = 0; slot < SIZES.length; slot++) {
                new Answers(peer, slot).await();
                var questions = new Questions(peer, slot);
                questions.ask();
                later.scheduleWithFixedDelay(questions::look, UNANSWERED_S, UNANSWERED_S, TimeUnit.SECONDS);
            }
        }
    }

    /// Returns when every peer has answered a question of every size that was asked after this call.
    void awaitRound() throws InterruptedException {
        // The next answer may be to a question that was asked before.
        Map<Integer, long[]> goals = peers.stream()
                .collect(Collectors.toMap(
                        Function.identity(),
                        peer -> answersOf(peer).map(count -> count + 2).toArray()));
        while (!peers.stream().allMatch(peer -> reaches(peer, goals.get(peer)))) {
            Thread.sleep(LOOK_MS);
        }
    }

    private boolean reaches(int peer, long[] goals) {
        long[] counts = answersOf(peer).toArray();
        return IntStream.range(0, SIZES.length).allMatch(slot -> counts[slot] >= goals[slot]);
    }

    /// Returns when `peer` has given no right answer for `duration`.
    void awaitStandstill(int peer, Duration duration) throws InterruptedException {
        long before = answersOf(peer).sum();
        long sinceNs = System.nanoTime();
        while (System.nanoTime() - sinceNs < duration.toNanos()) {
            Thread.sleep(LOOK_MS);
            long now = answersOf(peer).sum();
            if (now != before) {
                before = now;
                sinceNs = System.nanoTime();
            }
        }
    }

    private LongStream answersOf(int peer) {
        AtomicLongArray counts = answers.get(peer);
        return IntStream.range(0, counts.length()).mapToLong(counts::get);
    }

    /// Asks nothing more; from now on a receive that fails is no failure. To be said to all nodes before the first
    /// of them ends, because that ends what the others wait for.
    void stop() {
        stopping = true;
    }

    /// Returns the book when every receive has ended, or after a limit.
    String end() throws InterruptedException {
        long deadlineNs = System.nanoTime() + END_LIMIT_NS;
        // After the scheduler has ended, every task that is about to begin a receive has seen the stop.
        later.shutdownNow();
        later.awaitTermination(10, TimeUnit.SECONDS);
        do {
            server.closeStep(step);
            Thread.sleep(LOOK_MS);
        } while (ended.get() < begun.get() && System.nanoTime() < deadlineNs);
        return "lost=" + (begun.get() - ended.get()) + " wrong=" + wrong + " repeated=" + repeated + " failed=" + failed
                + " unanswered=" + unanswered + " right=" + right;
    }

    private Rendezvous rendezvous() {
        return server.rendezvous(step);
    }

    private static RendezvousKey key(int from, int to, String what, int slot) {
        return RendezvousKey.of(PlannedTensor.device(from), PlannedTensor.device(to), what + " " + slot);
    }

    private void receive(RendezvousKey key, Consumer<RecvResult> then) {
        if (stopping) {
            return;
        }
        var calls = new AtomicInteger();
        begun.incrementAndGet();
        rendezvous().recvAsync(key, result -> {
            if (calls.incrementAndGet() > 1) {
                repeated.incrementAndGet();
            }
            try {
                then.accept(result);
            } finally {
                ended.incrementAndGet();
            }
        });
    }

    private void soon(Runnable action) {
        if (!stopping) {
            try {
                later.schedule(action, PAUSE_MS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException _) {
                // It stops now.
            }
        }
    }

    private void send(RendezvousKey key, Tensor tensor) {
        try (tensor) {
            rendezvous().send(key, tensor);
        } catch (TransportException e) {
            if (!stopping) {
                throw e;
            }
        }
    }

    private Tensor make(long size, long asker, long number) {
        Tensor tensor = server.allocator().allocate(DataType.UINT8, Shape.of(size));
        MemorySegment memory = tensor.segment();
        memory.set(LONG, 0, asker);
        memory.set(LONG, 8, number);
        for (long at = 16; at < size; at += Long.BYTES) {
            memory.set(LONG, at, word(number, at));
        }
        return tensor;
    }

    private static boolean isWhole(Tensor tensor, long size) {
        MemorySegment memory = tensor.segment();
        if (memory.byteSize() != size) {
            return false;
        }
        long number = memory.get(LONG, 8);
        boolean same = true;
        for (long at = 16; at < size; at += Long.BYTES) {
            same &= memory.get(LONG, at) == word(number, at);
        }
        return same;
    }

    private static long word(long number, long at) {
        return (number + 1) * 0x9E37_79B9_7F4A_7C15L ^ at;
    }

    private void heard(int peer, int slot) {
        right.incrementAndGet();
        answers.get(peer).incrementAndGet(slot);
        if (answering.add(peer)) {
            launcher.tell("AGAIN " + peer);
        }
    }

    private void lost(int peer) {
        if (stopping) {
            return;
        }
        failed.incrementAndGet();
        if (answering.remove(peer)) {
            launcher.tell("GONE " + peer);
        }
    }

    /// What this node asks one peer, one question at a time.
    ///
    /// Threading: the callback executor and the scheduler.
    private final class Questions {
        private final int peer;
        private final int slot;
        private long asked;
        private long answered;
        private long askedAtLook;

        Questions(int peer, int slot) {
            this.peer = peer;
            this.slot = slot;
        }

        void ask() {
            sendQuestion();
            listen();
        }

        private synchronized void sendQuestion() {
            send(key(self, peer, "question", slot), make(16, life, ++asked));
        }

        /// Asks again if nothing was asked since the last look. The pending receive of the answer continues: a receive
        /// that never ends still stops the load.
        synchronized void look() {
            if (asked == askedAtLook && !stopping) {
                unanswered.incrementAndGet();
                sendQuestion();
            }
            askedAtLook = asked;
        }

        private void listen() {
            receive(key(peer, self, "answer", slot), this::onAnswer);
        }

        private void onAnswer(RecvResult result) {
            switch (result) {
                case RecvResult.Received(Tensor tensor) -> {
                    long number;
                    boolean mine;
                    try (tensor) {
                        mine = tensor.segment().get(LONG, 0) == life;
                        number = tensor.segment().get(LONG, 8);
                        if (!isWhole(tensor, SIZES[slot])) {
                            wrong.incrementAndGet();
                        }
                    }
                    if (mine && isLast(number)) {
                        heard(peer, slot);
                        ask();
                    } else {
                        // To a question whose receive had failed or took long, or of an earlier life of this node.
                        listen();
                    }
                }
                case RecvResult.Dead() -> wrong.incrementAndGet();
                case RecvResult.Failed _ -> {
                    lost(peer);
                    soon(this::ask);
                }
            }
        }

        /// Takes an answer, and returns whether it is to the last question.
        private synchronized boolean isLast(long number) {
            if (number <= answered) {
                repeated.incrementAndGet();
            }
            answered = number;
            return number == asked;
        }
    }

    /// What one peer asks this node.
    private final class Answers {
        private final int peer;
        private final int slot;
        private final Map<Long, Long> last = new HashMap<>();

        Answers(int peer, int slot) {
            this.peer = peer;
            this.slot = slot;
        }

        void await() {
            receive(key(peer, self, "question", slot), this::onQuestion);
        }

        private void onQuestion(RecvResult result) {
            switch (result) {
                case RecvResult.Received(Tensor tensor) -> {
                    long asker;
                    long number;
                    try (tensor) {
                        asker = tensor.segment().get(LONG, 0);
                        number = tensor.segment().get(LONG, 8);
                    }
                    if (number <= last.getOrDefault(asker, 0L)) {
                        repeated.incrementAndGet();
                    }
                    last.put(asker, number);
                    send(key(self, peer, "answer", slot), make(SIZES[slot], asker, number));
                    await();
                }
                case RecvResult.Dead() -> wrong.incrementAndGet();
                case RecvResult.Failed _ -> {
                    lost(peer);
                    soon(this::await);
                }
            }
        }
    }
}
