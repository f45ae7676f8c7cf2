package io.tensorferry.cli;

/// The log level that the user requested. Set once, before anything is logged.
final class Verbosity {
    // slf4j-simple reads this property when it creates its first logger.
    private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";
    private static final String GRPC_LEVEL = "org.slf4j.simpleLogger.log.io.grpc";

    private static volatile boolean stackTraces;

    private Verbosity() {}

    /// @param times the number of occurrences of the option
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
