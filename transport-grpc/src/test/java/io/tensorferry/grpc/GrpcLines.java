package io.tensorferry.grpc;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// The log lines of gRPC during a test, which it would print to standard error.
final class GrpcLines implements AutoCloseable {
    private final Logger logger = Logger.getLogger("io.grpc");
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            if (line.getLevel().intValue() >= Level.INFO.intValue()) {
                lines.add(line.getLoggerName() + ": " + line.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    GrpcLines() {
        logger.addHandler(handler);
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
    }
}
