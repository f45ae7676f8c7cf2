package io.tensorferry.samples.digits;

import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.it.process.Launcher;
import java.time.Duration;
import java.util.List;

/// One process of the training. All processes run this program; `TF_CONFIG` selects the task.
final class TrainingTask {
    private static final String STOP = "stop";
    private static final Duration START_LIMIT = Duration.ofSeconds(30);

    private TrainingTask() {}

    static String stopCommand() {
        return STOP;
    }

    /// @param arguments the number of steps, whether the output is a terminal, and the [Placement]
    public static void main(String[] arguments) throws InterruptedException {
        Launcher launcher = Launcher.connect();
        long steps = Long.parseLong(arguments[0]);
        boolean terminal = Boolean.parseBoolean(arguments[1]);
        var placement = Placement.valueOf(arguments[2]);

        ServerConfig config = ServerConfig.fromEnvironment();
        var plan = new TrainingPlan(steps, config.cluster().tasks("worker").size());
        Digits.Split digits = Digits.shuffledSplit(TrainingPlan.SEED);
        boolean well = true;
        try (var server = TransportServer.builder().config(config).start();
                var exchange = ModelExchange.of(placement, server)) {
            switch (config.job()) {
                case "ps" -> {
                    well = train(server, exchange, plan, digits, terminal);
                    // The workers fetch the last model from this process.
                    launcher.awaitCommand(STOP);
                }
                case "worker" -> new Worker(server, exchange, plan, digits.training()).work();
                default ->
                    throw new IllegalArgumentException("job '" + config.job() + "' is neither 'ps' nor 'worker'");
            }
        }
        System.exit(well ? 0 : 1);
    }

    private static boolean train(
            TransportServer server, ModelExchange exchange, TrainingPlan plan, Digits.Split digits, boolean terminal)
            throws InterruptedException {
        // The exchange does not need this wait, since peers may start in any order; but the training is timed.
        server.awaitPeers(START_LIMIT);
        SoftmaxRegression model;
        long start = System.nanoTime();
        try (var display = new ProgressDisplay(terminal, plan.steps(), digits.heldOut())) {
            model = new ParameterServer(server, exchange, plan).train(display);
        }
        Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
        var report = new TrainingReport(
                plan,
                server.protocol(),
                server.transportDevice(),
                model.accuracy(digits.heldOut()),
                model.distance(plan.trainAlone(digits.training())),
                server.statistics(),
                elapsed);
        System.out.println(report);
        List<String> failures = report.failures();
        failures.forEach(failure -> System.err.println("FAILED: " + failure));
        return failures.isEmpty();
    }
}
