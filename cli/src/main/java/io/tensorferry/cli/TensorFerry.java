package io.tensorferry.cli;

import io.tensorferry.api.Accelerator;
import io.tensorferry.cli.check.CheckCommand;
import io.tensorferry.cli.check.ServeCommand;
import io.tensorferry.cli.console.ExitStatus;
import io.tensorferry.cli.devices.DevicesCommand;
import io.tensorferry.cuda.CudaDevices;
import io.tensorferry.grpc.GrpcLog;
import java.util.Map;
import java.util.function.IntFunction;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/// The command `tensorferry`.
@Command(
        name = "tensorferry",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        description = "Lists the RDMA devices of this machine, and checks the connection to another.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:success", "1:failure; standard error states the cause", "2:wrong usage"},
        footer = "%nThe RDMA_* environment variables apply as they do to a server.")
public final class TensorFerry implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    private TensorFerry() {}

    @Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            description = "print the library's log, and the stack trace of a failure; twice: the full log")
    void verbose(boolean[] times) {
        Verbosity.set(times.length);
    }

    public static void main(String[] arguments) {
        System.exit(commandLine(System.getenv()).execute(arguments));
    }

    /// Creates the command with all its subcommands.
    ///
    /// @param environment the source of the `RDMA_*` variables
    static CommandLine commandLine(Map<String, String> environment) {
        return commandLine(environment, CudaDevices::open);
    }

    /// @param gpus opens a GPU by its number
    static CommandLine commandLine(Map<String, String> environment, IntFunction<? extends Accelerator> gpus) {
        return new CommandLine(new TensorFerry())
                .addSubcommand(new DevicesCommand(environment))
                .addSubcommand(new CheckCommand(environment, gpus))
                .addSubcommand(new ServeCommand(environment, gpus))
                .setExecutionStrategy(TensorFerry::execute)
                .setParameterExceptionHandler(Failures::onWrongUsage)
                .setExecutionExceptionHandler(Failures::onFailure)
                .setExitCodeExceptionMapper(_ -> ExitStatus.FAILED);
    }

    /// Runs after parsing, because the options determine the log level.
    private static int execute(ParseResult parsed) {
        GrpcLog.toSlf4j();
        return new RunLast().execute(parsed);
    }

    /// Runs without a subcommand.
    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "a command is missing: "
                        + String.join(", ", spec.commandLine().getSubcommands().keySet()));
    }
}
