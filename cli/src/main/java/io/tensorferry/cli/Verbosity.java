package io.tensorferry.cli;

/// How much a user wants to see. Set once, before anything is logged.
final class Verbosity {
    // slf4j-simple reads it when its first logger is made.
    private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";
    private static final String GRPC_LEVEL = "org.slf4j.simpleLogger.log.io.grpc";

    private static volatile boolean stackTraces;

    private Verbosity() {}

    /// @param times how often the option was given
    static void set(int times) {
        stackTraces = times > 0;
        if (times > 0) {
            String level = times > 1 ? "debug" : "info";
            System.setProperty(LOG_LEVEL, level);
            System.setProperty(GRPC_LEVEL, level);
        }
    }

    static boolean stackTraces() {
        return stackTraces;
    }
}
