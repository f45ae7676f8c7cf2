package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.Transfer;
import io.tensorferry.it.process.ChildJvm;
import java.time.Duration;

/// The two processes of [RawPath], connected. For one thread.
final class RawPair implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    private final ChildJvm source;
    private final ChildJvm target;
    private final RawAddress address;

    private RawPair(ChildJvm source, ChildJvm target) throws InterruptedException {
        this.source = source;
        this.target = target;
        String sourceAddress = awaitAddress(source);
        String targetAddress = awaitAddress(target);
        this.address = RawAddress.parse(sourceAddress);
        source.send(targetAddress);
        target.send(sourceAddress);
        source.awaitLine(RawProcess.CONNECTED, START_LIMIT);
        target.awaitLine(RawProcess.CONNECTED, START_LIMIT);
    }

    /// @param mostBytes the size of the longest message
    /// @param lanes the maximum number of queue pairs in use
    static RawPair start(Places places, long mostBytes, int lanes) throws InterruptedException {
        ChildJvm source = places.atSource(RawProcess.class)
                .name("raw source")
                .arguments(Long.toString(mostBytes), Integer.toString(lanes))
                .start();
        ChildJvm target = places.atTarget(RawProcess.class)
                .name("raw target")
                .arguments(Long.toString(mostBytes), Integer.toString(lanes))
                .start();
        try {
            return new RawPair(source, target);
        } catch (RuntimeException | InterruptedException e) {
            source.close();
            target.close();
            throw e;
        }
    }

    /// The address of the source. Device, port, GID and MTU are also the target's.
    RawAddress address() {
        return address;
    }

    Transfer throughput(Operation operation, long bytes, int count, Queues queues) throws InterruptedException {
        if (operation != Operation.WRITE_WITH_IMMEDIATE) {
            return ask(RawProcess.Task.THROUGHPUT, operation, bytes, count, queues);
        }
        send(target, RawProcess.Task.TAKE, operation, bytes, count, queues);
        target.awaitLine(RawProcess.WAITING, LIMIT);
        Transfer transfer = ask(RawProcess.Task.THROUGHPUT, operation, bytes, count, queues);
        target.awaitLine(RawProcess.DONE, LIMIT);
        return transfer;
    }

    Transfer readLatency(long bytes, int count) throws InterruptedException {
        return ask(RawProcess.Task.READ_LATENCY, Operation.READ, bytes, count, Queues.ONE);
    }

    Transfer writeLatency(Operation operation, long bytes, int count) throws InterruptedException {
        send(target, RawProcess.Task.PONG, operation, bytes, count, Queues.ONE);
        target.awaitLine(RawProcess.WAITING, LIMIT);
        Transfer transfer = ask(RawProcess.Task.PING, operation, bytes, count, Queues.ONE);
        target.awaitLine(RawProcess.DONE, LIMIT);
        return transfer;
    }

    /// Moves a few messages and compares the received content with the original.
    ///
    /// @throws io.tensorferry.it.process.ChildFailedException if a byte differs
    void verify(Operation operation, long bytes, Queues queues) throws InterruptedException {
        ChildJvm from = operation.isWrite() ? source : target;
        ChildJvm to = operation.isWrite() ? target : source;
        tell(from, RawProcess.Task.FILL, operation, bytes);
        tell(to, RawProcess.Task.CLEAR, operation, bytes);
        var _ = throughput(operation, bytes, Posting.of(bytes, queues).depth(), queues);
        tell(to, RawProcess.Task.CHECK, operation, bytes);
    }

    private static void tell(ChildJvm child, RawProcess.Task task, Operation operation, long bytes)
            throws InterruptedException {
        send(child, task, operation, bytes, 0, Queues.ONE);
        child.awaitLine(RawProcess.DONE, LIMIT);
    }

    private Transfer ask(RawProcess.Task task, Operation operation, long bytes, int count, Queues queues)
            throws InterruptedException {
        send(source, task, operation, bytes, count, queues);
        return Transfer.parse(source.awaitLine(RawProcess.DONE, LIMIT).substring(RawProcess.DONE.length()));
    }

    private static void send(
            ChildJvm child, RawProcess.Task task, Operation operation, long bytes, int count, Queues queues) {
        child.send(String.join(
                " ",
                task.name(),
                operation.name(),
                Long.toString(bytes),
                Integer.toString(count),
                Integer.toString(queues.lanes()),
                Integer.toString(queues.list())));
    }

    private static String awaitAddress(ChildJvm child) throws InterruptedException {
        return child.awaitLine(RawProcess.ADDRESS, START_LIMIT).substring(RawProcess.ADDRESS.length());
    }

    @Override
    public void close() {
        try (source;
                target) {
            source.send(RawProcess.STOP);
            target.send(RawProcess.STOP);
            source.awaitSuccess(STOP_LIMIT);
            target.awaitSuccess(STOP_LIMIT);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
