package io.tensorferry.cli.console;

/// What a command tells a script.
public final class ExitStatus {
    public static final int OK = 0;
    /// What was asked for is not there or does not work; one line on standard error says what.
    public static final int FAILED = 1;
    /// The command line, or a variable of the environment, is wrong.
    public static final int USAGE = 2;

    private ExitStatus() {}
}
