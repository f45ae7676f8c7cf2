package io.tensorferry.grpc;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.slf4j.LoggerFactory;

/// Where the lines go that gRPC and its Netty log by themselves.
///
/// They log to `java.util.logging`, which prints INFO and more to standard error unless the application sets it up.
/// What matters to a worker TensorFerry logs to slf4j in words of its own.
public final class GrpcLog {
    // Held here: java.util.logging forgets a logger that nobody holds, and its handlers with it.
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    private GrpcLog() {}

    /// Hands gRPC's lines to slf4j from now on, under the names of their loggers, all below `io.grpc`, and to nobody
    /// else. It holds for the whole process; the second and later calls do nothing. TensorFerry never calls it: it is
    /// for an application that has no bridge for all of `java.util.logging`, as `jul-to-slf4j` is.
    ///
    /// Threading: any thread.
    public static synchronized void toSlf4j() {
        for (Handler handler : GRPC.getHandlers()) {
            if (handler instanceof Bridge) {
                return;
            }
        }
        GRPC.setUseParentHandlers(false);
        GRPC.setLevel(levelOf(LoggerFactory.getLogger(GRPC.getName())));
        GRPC.addHandler(new Bridge());
    }

    private static Level levelOf(org.slf4j.Logger logger) {
        if (logger.isTraceEnabled()) {
            return Level.ALL;
        }
        return logger.isDebugEnabled() ? Level.FINE : Level.INFO;
    }

    private static final class Bridge extends Handler {
        private final SimpleFormatter words = new SimpleFormatter();

        @Override
        public void publish(LogRecord line) {
            if (isLoggable(line)) {
                String name = line.getLoggerName() == null ? GRPC.getName() : line.getLoggerName();
                LoggerFactory.getLogger(name)
                        .atLevel(levelOf(line.getLevel()))
                        .setCause(line.getThrown())
                        .log(() -> words.formatMessage(line));
            }
        }

        private static org.slf4j.event.Level levelOf(Level level) {
            int value = level.intValue();
            if (value >= Level.SEVERE.intValue()) {
                return org.slf4j.event.Level.ERROR;
            }
            if (value >= Level.WARNING.intValue()) {
                return org.slf4j.event.Level.WARN;
            }
            if (value >= Level.INFO.intValue()) {
                return org.slf4j.event.Level.INFO;
            }
            return value >= Level.FINE.intValue() ? org.slf4j.event.Level.DEBUG : org.slf4j.event.Level.TRACE;
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
