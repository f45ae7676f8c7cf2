package io.tensorferry.it.benchmark.contest;

import io.tensorferry.it.benchmark.Transfer;
import io.tensorferry.it.benchmark.TransferPath;
import io.tensorferry.it.benchmark.exchange.Window;
import io.tensorferry.it.process.ChildJvm;
import io.tensorferry.it.process.FreePorts;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/// One entrant, as two processes that execute commands. For one thread.
public final class TwoProcessPath implements TransferPath {
    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    private final String name;
    private final ChildJvm producer;
    private final ChildJvm consumer;
    private final boolean neverRests;
    private final String device;

    private TwoProcessPath(String name, ChildJvm producer, ChildJvm consumer, boolean neverRests)
            throws InterruptedException {
        this.name = name;
        this.neverRests = neverRests;
        this.producer = producer;
        this.consumer = consumer;
        this.device = consumer.awaitLine(ConsumerProcess.READY, START_LIMIT).substring(ConsumerProcess.READY.length());
        tell(ProducerProcess.REST);
        rest();
    }

    private void rest() throws InterruptedException {
        if (neverRests) {
            producer.suspend();
            consumer.suspend();
        }
    }

    private void wake() throws InterruptedException {
        if (neverRests) {
            producer.resume();
            consumer.resume();
        }
    }

    /// Starts both processes at the place of this one.
    public static TwoProcessPath start(Entrant entrant) throws InterruptedException {
        return start(entrant.name(), entrant, ChildJvm::of, ChildJvm::of);
    }

    /// @param name the name in the table
    /// @param atProducer creates the producer's process
    /// @param atConsumer creates the consumer's process
    /// @throws io.tensorferry.it.process.ChildFailedException if a process does not start; its message includes the
    ///     process' output
    public static TwoProcessPath start(
            String name,
            Entrant entrant,
            Function<Class<?>, ChildJvm.Builder> atProducer,
            Function<Class<?>, ChildJvm.Builder> atConsumer)
            throws InterruptedException {
        Contender contender = entrant.contender();
        List<Integer> ports = FreePorts.pick(Contender.PORTS);
        String[] arguments = {
            entrant.name(), ports.get(0).toString(), ports.get(1).toString()
        };
        ChildJvm producer = contender
                .prepare(atProducer.apply(ProducerProcess.class))
                .name("producer of " + name)
                .arguments(arguments)
                .start();
        try {
            producer.awaitLine(ProducerProcess.READY, START_LIMIT);
            ChildJvm consumer = contender
                    .prepare(atConsumer.apply(ConsumerProcess.class))
                    .name("consumer of " + name)
                    .arguments(arguments)
                    .start();
            try {
                return new TwoProcessPath(name, producer, consumer, contender.neverRests());
            } catch (RuntimeException | InterruptedException e) {
                consumer.close();
                throw e;
            }
        } catch (RuntimeException | InterruptedException e) {
            producer.close();
            throw e;
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String device() {
        return device;
    }

    @Override
    public int window(long bytes) {
        return Window.of(bytes);
    }

    @Override
    public Transfer throughput(long bytes, int count) throws InterruptedException {
        return Transfer.parse(ask(ConsumerProcess.Task.THROUGHPUT, bytes, count, ""));
    }

    @Override
    public Transfer latency(long bytes, int count) throws InterruptedException {
        return Transfer.parse(ask(ConsumerProcess.Task.LATENCY, bytes, count, ""));
    }

    @Override
    public Transfer paced(long bytes, int count, double perSecond) throws InterruptedException {
        return Transfer.parse(ask(ConsumerProcess.Task.PACED, bytes, count, " " + perSecond));
    }

    @Override
    public void verify(long bytes) throws InterruptedException {
        var _ = ask(ConsumerProcess.Task.VERIFY, bytes, 0, "");
    }

    private String ask(ConsumerProcess.Task task, long bytes, int count, String more) throws InterruptedException {
        wake();
        tell(ProducerProcess.SERVE + bytes);
        consumer.send(task + " " + bytes + " " + count + more);
        String answer = consumer.awaitLine(ConsumerProcess.DONE, LIMIT).substring(ConsumerProcess.DONE.length());
        tell(ProducerProcess.REST);
        rest();
        return answer;
    }

    private void tell(String command) throws InterruptedException {
        producer.send(command);
        producer.awaitLine(ProducerProcess.DONE, LIMIT);
    }

    @Override
    public void close() {
        try (producer;
                consumer) {
            wake();
            consumer.send(ConsumerProcess.STOP);
            consumer.awaitSuccess(STOP_LIMIT);
            producer.send(ProducerProcess.STOP);
            producer.awaitSuccess(STOP_LIMIT);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
