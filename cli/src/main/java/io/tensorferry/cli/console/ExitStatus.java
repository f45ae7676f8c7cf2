package io.tensorferry.cli.console;

/// The exit statuses of the commands.
public final class ExitStatus {
    public static final int OK = 0;
    /// The requested item does not exist or does not work; one line on standard error states the reason.
    public static final int FAILED = 1;
    /// The command line or an environment variable is invalid.
    public static final int USAGE = 2;

    private ExitStatus() {}
}
