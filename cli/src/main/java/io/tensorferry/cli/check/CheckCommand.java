package io.tensorferry.cli.check;

import io.tensorferry.api.Accelerator;
import io.tensorferry.cli.console.ByteSize;
import io.tensorferry.cli.console.ExitStatus;
import io.tensorferry.cli.console.Settings;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.TransportServerBuilder;
import io.tensorferry.grpc.VerbsProviders;
import io.tensorferry.grpc.cluster.WorkerAddress;
import io.tensorferry.verbs.config.RdmaConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Checks the connection to a machine on which [ServeCommand] runs.
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description = {
            "Checks the connection to a machine that runs 'tensorferry serve'.",
            "It sets up a channel, prints what both ends agreed on, moves tensors in both",
            "directions, compares their bytes and prints how long they took."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:the check passed", "1:it failed; standard error states the cause", "2:wrong usage"})
public final class CheckCommand implements Callable<Integer> {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    private final Map<String, String> environment;
    private final IntFunction<? extends Accelerator> gpus;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "HOST:PORT",
            description = "the address on which 'tensorferry serve' listens",
            showDefaultValue = Help.Visibility.NEVER)
    private String target = "";

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "bytes of a tensor, as 4KiB")
    private List<ByteSize> sizes = List.of(
            new ByteSize(8),
            new ByteSize(4 << 10),
            new ByteSize(64 << 10),
            new ByteSize(1 << 20),
            new ByteSize(16 << 20));

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "tensors of each size; by default as many as fill 64 MiB, within 5 to 100")
    private @Nullable Integer rounds;

    @Option(names = "--timeout", paramLabel = "S", description = "time limit of each step in seconds")
    private int timeoutSeconds = 10;

    @Option(
            names = "--address",
            paramLabel = "ADDRESS",
            description = "this machine's address; by default the source address of the route to HOST")
    private @Nullable InetAddress address;

    @Option(names = "--json", description = "one JSON object instead of text")
    private boolean json;

    @Mixin
    private GpuOption gpu = new GpuOption();

    @Mixin
    private ServerSecurity security = new ServerSecurity();

    /// @param environment the source of the `RDMA_*` variables
    /// @param gpus opens a GPU by its number
    public CheckCommand(Map<String, String> environment, IntFunction<? extends Accelerator> gpus) {
        this.environment = environment;
        this.gpus = gpus;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        WorkerAddress server = ServeCommand.address(target, spec);
        RdmaConfig config = Settings.rdma(environment, spec);
        TransportServerBuilder caller = security.apply(TransportServer.builder(), environment, spec);
        Plan plan = plan();
        PrintWriter out = spec.commandLine().getOut();
        CheckOutput output = json ? new CheckJson(out) : new CheckText(out);
        try (@Nullable Accelerator device = gpu.open(gpus)) {
            check(caller, device, server, config, plan, output);
        } catch (IOException | RuntimeException e) {
            output.failed(String.valueOf(e.getMessage()));
            throw e;
        } finally {
            output.end();
        }
        return ExitStatus.OK;
    }

    private Plan plan() {
        if (timeoutSeconds < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--timeout is " + timeoutSeconds + ", it must be 1 or more");
        }
        var plan = new Plan(
                Plan.VERSION,
                sizes.stream()
                        .map(size -> rounds == null ? Plan.Item.of(size.bytes()) : new Plan.Item(size.bytes(), rounds))
                        .toList());
        try {
            var _ = plan.check();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        return plan;
    }

    private void check(
            TransportServerBuilder builder,
            @Nullable Accelerator device,
            WorkerAddress server,
            RdmaConfig config,
            Plan plan,
            CheckOutput output)
            throws IOException, InterruptedException {
        Duration timeout = Duration.ofSeconds(timeoutSeconds);
        var peer = new InetSocketAddress(server.resolve(), server.port());
        InetAddress own = address == null ? Route.ownAddressTowards(peer) : address;
        output.connected(server, own, Route.dial(peer, timeout, security.forTheOtherEnd()));
        int task = CheckCluster.taskOf(own);
        // No process dials a caller, so its server listens on loopback only.
        var listening = new WorkerAddress(LOOPBACK.getHostAddress(), Route.freePort(LOOPBACK));
        try (TransportServer caller = security.start(builder.cluster(CheckCluster.ofCaller(server, task, listening))
                .job(CheckCluster.CALLER)
                .task(task)
                .bindAddress(LOOPBACK)
                .connectTimeout(timeout)
                .rdmaConfig(config)
                .accelerators(device == null ? List.of() : List.of(device))
                .verbsProviders(VerbsProviders.forHost(own, config)))) {
            new CheckRun(caller, device, plan, timeout, output).run();
        }
    }
}
