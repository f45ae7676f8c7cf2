package io.tensorferry.cli.check;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.TransportException;
import io.tensorferry.cli.console.ExitStatus;
import io.tensorferry.cli.console.Settings;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.TransportServerBuilder;
import io.tensorferry.grpc.cluster.WorkerAddress;
import io.tensorferry.verbs.config.RdmaConfig;
import java.io.PrintWriter;
import java.net.BindException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Serves [CheckCommand] until interrupted.
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Answers 'tensorferry check' of other machines.",
            "It runs until it is interrupted, and listens on the given address only.",
            "With the TLS files it serves every client with a certificate of a trusted",
            "authority; without them, and with --allow-insecure, every client. Several",
            "machines may check at the same time."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:with --once: the check passed",
            "1:it cannot serve; with --once: the check failed",
            "2:wrong usage"
        })
public final class ServeCommand implements Callable<Integer> {
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final Duration END_LIMIT = Duration.ofSeconds(5);

    private final Map<String, String> environment;
    private final IntFunction<? extends Accelerator> gpus;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "HOST:PORT", description = "an address of this machine, and a free port")
    private String listen = "";

    @Option(names = "--once", description = "end after one check")
    private boolean once;

    @Mixin
    private GpuOption gpu = new GpuOption();

    @Mixin
    private ServerSecurity security = new ServerSecurity();

    /// @param environment the source of the `RDMA_*` variables
    /// @param gpus opens a GPU by its number
    public ServeCommand(Map<String, String> environment, IntFunction<? extends Accelerator> gpus) {
        this.environment = environment;
        this.gpus = gpus;
    }

    static WorkerAddress address(String text, CommandSpec spec) {
        try {
            return WorkerAddress.parse(text, "this check");
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public Integer call() {
        WorkerAddress address = address(listen, spec);
        RdmaConfig config = Settings.rdma(environment, spec);
        TransportServerBuilder builder = security.apply(TransportServer.builder(), environment, spec);
        try (@Nullable Accelerator device = gpu.open(gpus)) {
            return serve(builder, address, config, device);
        }
    }

    /// Starts the server. A failure to listen is reported in terms of this command's options.
    private TransportServer start(TransportServerBuilder builder) {
        try {
            return security.start(builder);
        } catch (TransportException e) {
            if (e.getCause() instanceof BindException refused) {
                throw new TransportException(
                        e.code(),
                        "cannot listen on " + listen + ": " + refused.getMessage()
                                + "; give an address of this machine, and a free port",
                        e);
            }
            throw e;
        }
    }

    private int serve(
            TransportServerBuilder builder, WorkerAddress address, RdmaConfig config, @Nullable Accelerator device) {
        PrintWriter out = spec.commandLine().getOut();
        TransportServer server = start(builder.cluster(CheckCluster.ofServer(address))
                .job(CheckCluster.SERVER)
                .task(0)
                .rdmaConfig(config)
                .accelerators(device == null ? List.of() : List.of(device)));
        try (var _ = new EndOnSignal(END_LIMIT)) {
            out.println("serving checks on " + address + " with " + server.transportDevice()
                    + (device == null ? "" : ", tensors on " + Residence.nameOf(device))
                    + (once ? ", once" : "; Ctrl-C ends it"));
            out.flush();
            return new CheckServer(server, device, out).run(once) ? ExitStatus.OK : ExitStatus.FAILED;
        } catch (InterruptedException _) {
            return ExitStatus.OK;
        } finally {
            server.stop(GRACE);
        }
    }
}
