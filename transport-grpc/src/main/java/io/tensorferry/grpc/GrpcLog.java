package io.tensorferry.grpc;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.slf4j.LoggerFactory;

/// Redirects the log records of gRPC and its Netty to slf4j.
///
/// Both log to `java.util.logging`, which by default prints records of level INFO and above to standard error.
/// TensorFerry itself logs every event that matters to a worker to slf4j, independent of gRPC's records.
public final class GrpcLog {
    // A strong reference: java.util.logging drops a logger that is not referenced, together with its handlers.
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    private GrpcLog() {}

    /// Redirects gRPC's log records to slf4j, under the names of their loggers, all below `io.grpc`. Other
    /// `java.util.logging` handlers no longer receive them.
    ///
    /// Applies to the whole process; the second and later calls do nothing. TensorFerry never calls it. It is for
    /// applications without a bridge for all of `java.util.logging`, such as `jul-to-slf4j`.
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
