package io.tensorferry.samples.digits;

import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.it.process.ChildFailedException;
import io.tensorferry.it.process.ChildJvm;
import io.tensorferry.it.process.ChildJvms;
import io.tensorferry.it.process.FreePorts;
import io.tensorferry.it.process.Place;
import io.tensorferry.it.progress.Progress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Starts one parameter server and two workers as separate processes on this machine, and waits for them.
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Trains a softmax regression on the UCI handwritten digits with one parameter server and two workers.",
        showDefaultValues = true)
public final class TrainingDemo implements Callable<Integer> {
    @Option(names = "--protocol", paramLabel = "P", description = "grpc+verbs or grpc")
    private String protocol = ServerConfig.GRPC_VERBS;

    @Option(names = "--placement", paramLabel = "W", description = "where tensors land: ${COMPLETION-CANDIDATES}")
    private Placement placement = Placement.RENDEZVOUS;

    @Option(names = "--steps", paramLabel = "N", description = "training steps")
    private long steps = 400;

    @Option(names = "--timeout", paramLabel = "S", description = "seconds after which the demo gives up")
    private long timeoutSeconds = 120;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new TrainingDemo())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        List<Integer> ports = FreePorts.pick(3);
        List<Place> places = List.of(Place.of(0), Place.of(1), Place.of(2));
        String cluster = """
                {"ps": ["%s:%d"], "worker": ["%s:%d", "%s:%d"]}""".formatted(
                        places.get(0).host(),
                        ports.get(0),
                        places.get(1).host(),
                        ports.get(1),
                        places.get(2).host(),
                        ports.get(2));
        Duration limit = Duration.ofSeconds(timeoutSeconds);
        System.out.println("one parameter server and two workers, each a process of its own, on ports " + ports);
        try (var children = new ChildJvms()) {
            ChildJvm parameterServer =
                    children.start(task("ps", 0, cluster).place(places.get(0)).inheritOutput());
            List<ChildJvm> workers = List.of(
                    children.start(task("worker", 0, cluster).place(places.get(1))),
                    children.start(task("worker", 1, cluster).place(places.get(2))));
            children.awaitSuccess(workers, limit);
            parameterServer.send(TrainingTask.stopCommand());
            children.awaitSuccess(List.of(parameterServer), limit);
            return 0;
        } catch (ChildFailedException e) {
            System.err.println(e.getMessage());
            return 1;
        }
    }

    private ChildJvm.Builder task(String job, int task, String cluster) {
        String config = """
                {"cluster": %s, "task": {"type": "%s", "index": %d}, "rpc_layer": "%s"}""".formatted(cluster, job, task, protocol);
        return ChildJvm.of(TrainingTask.class)
                .name(job + " " + task)
                // Three short-lived processes share this machine: they start faster without the optimising compiler.
                .jvmArguments("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
                .environment("TF_CONFIG", config)
                .arguments(Long.toString(steps), Boolean.toString(Progress.onTerminal()), placement.name());
    }
}
