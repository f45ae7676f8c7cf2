package io.tensorferry.it.process;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/// One node's part of a plan: sends what it is to send, receives what it is to receive, a few steps at a time, and
/// checks each tensor.
///
/// Threading: one thread runs it; receives end on the callback executor.
final class Exchange {
    private static final int STEPS_UNDER_WAY = 4;
    private static final long LIMIT_SECONDS = 100;

    private final TransportServer server;
    private final int self;
    private final TrafficPlan plan;
    private final AtomicInteger expected = new AtomicInteger();
    private final AtomicInteger right = new AtomicInteger();
    private final AtomicInteger wrong = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();
    private final AtomicReference<String> firstProblem = new AtomicReference<>("none");

    Exchange(TransportServer server, int self, TrafficPlan plan) {
        this.server = server;
        this.self = self;
        this.plan = plan;
    }

    /// Returns when every receive of this node has ended, or after a limit.
    void run() throws InterruptedException {
        var unfinished = new ArrayList<CountDownLatch>();
        for (List<PlannedTensor> step : plan.steps()) {
            unfinished.add(start(step));
            if (unfinished.size() >= STEPS_UNDER_WAY) {
                await(unfinished.removeFirst());
            }
        }
        for (CountDownLatch step : unfinished) {
            await(step);
        }
    }

    private void await(CountDownLatch step) throws InterruptedException {
        if (!step.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            problem(step.getCount() + " receives of a step had not ended after " + LIMIT_SECONDS + " s");
        }
    }

    private CountDownLatch start(List<PlannedTensor> step) {
        Rendezvous rendezvous = server.rendezvous(step.getFirst().step());
        List<PlannedTensor> mine =
                step.stream().filter(tensor -> tensor.to() == self).toList();
        var unfinished = new CountDownLatch(mine.size());
        expected.addAndGet(mine.size());
        // Every other tensor is asked for before it can be there, the rest after.
        for (int i = 0; i < mine.size(); i += 2) {
            receive(rendezvous, mine.get(i), unfinished);
        }
        step.stream().filter(tensor -> tensor.from() == self).forEach(tensor -> send(rendezvous, tensor));
        for (int i = 1; i < mine.size(); i += 2) {
            receive(rendezvous, mine.get(i), unfinished);
        }
        return unfinished;
    }

    private void send(Rendezvous rendezvous, PlannedTensor planned) {
        if (planned.dead()) {
            rendezvous.sendDead(planned.key());
        } else {
            rendezvous.send(planned.key(), planned.make(server.allocator()));
        }
    }

    private void receive(Rendezvous rendezvous, PlannedTensor planned, CountDownLatch unfinished) {
        var ends = new AtomicInteger();
        rendezvous.recvAsync(planned.key(), result -> {
            check(planned, result);
            if (ends.incrementAndGet() > 1) {
                repeated.incrementAndGet();
                problem(planned + " ended twice");
            }
            unfinished.countDown();
        });
    }

    private void check(PlannedTensor planned, RecvResult result) {
        switch (result) {
            case RecvResult.Received(Tensor tensor) -> {
                try (tensor) {
                    count(planned.matches(tensor), planned, tensor);
                }
            }
            case RecvResult.Dead dead -> count(planned.dead(), planned, dead);
            case RecvResult.Failed(var cause) -> {
                failed.incrementAndGet();
                problem(planned + " failed: " + cause.getMessage());
            }
        }
    }

    private void count(boolean isRight, PlannedTensor planned, Object arrived) {
        (isRight ? right : wrong).incrementAndGet();
        if (!isRight) {
            problem(planned + " arrived as " + arrived + " or with other content");
        }
    }

    private void problem(String what) {
        firstProblem.compareAndSet("none", what);
    }

    /// The steps' end; all nodes have received everything before. Returns the sends that nobody had asked for.
    int close() {
        return plan.stepIds().mapToInt(server::closeStep).sum();
    }

    @Override
    public String toString() {
        return "expected=" + expected + " right=" + right + " wrong=" + wrong + " failed=" + failed + " repeated="
                + repeated + " problem=" + firstProblem;
    }
}
