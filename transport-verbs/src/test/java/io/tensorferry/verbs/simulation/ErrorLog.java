package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/// What the transport logs while this is open: warnings and errors, and nothing below, so that a test of a million
/// messages is not a test of the log. An error stands for an exception that reached a loop.
final class ErrorLog implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.tensorferry");
    private final Level levelBefore = logger.getLevel();
    private final boolean additiveBefore = logger.isAdditive();
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            if (events.size() < 1000) {
                events.add(event);
            }
        }
    };

    ErrorLog() {
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
        appender.start();
        logger.addAppender(appender);
    }

    List<String> warnings() {
        return messages(Level.WARN);
    }

    List<String> errors() {
        return messages(Level.ERROR);
    }

    /// They were expected.
    void forgetErrors() {
        events.removeIf(event -> event.getLevel() == Level.ERROR);
    }

    void assertNoErrors() {
        assertThat(errors()).as("errors in the log").isEmpty();
    }

    private List<String> messages(Level level) {
        return events.stream()
                .filter(event -> event.getLevel() == level)
                .map(ErrorLog::describe)
                .toList();
    }

    private static String describe(ILoggingEvent event) {
        var thrown = event.getThrowableProxy();
        return event.getFormattedMessage()
                + (thrown == null ? "" : ": " + thrown.getClassName() + ": " + thrown.getMessage());
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setAdditive(additiveBefore);
        logger.setLevel(levelBefore);
    }
}
