package io.tensorferry.cli;

import io.tensorferry.api.TransportException;
import io.tensorferry.cli.console.ExitStatus;
import io.tensorferry.verbs.device.VerbsException;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// Reports a failure in one line on standard error.
final class Failures {
    private Failures() {}

    static int onWrongUsage(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        print(command, name + ": " + e.getMessage() + " (" + name + " --help tells more)", e);
        return ExitStatus.USAGE;
    }

    static int onFailure(Exception e, CommandLine command, ParseResult parsed) {
        print(command, command.getCommandSpec().qualifiedName() + ": " + messageOf(e), e);
        return ExitStatus.FAILED;
    }

    /// The message of a failure. Includes the exception's type, unless the message is written for users.
    private static String messageOf(Exception e) {
        boolean inWords = e instanceof TransportException
                || e instanceof VerbsException
                || e instanceof IllegalArgumentException
                || e instanceof IOException;
        return inWords && e.getMessage() != null ? e.getMessage() : "unexpected " + e;
    }

    private static void print(CommandLine command, String line, Exception e) {
        PrintWriter err = command.getErr();
        err.println(line.replace('\n', ' '));
        if (Verbosity.stackTraces()) {
            e.printStackTrace(err);
        }
        err.flush();
    }
}
