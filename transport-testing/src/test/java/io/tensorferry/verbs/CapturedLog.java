package io.tensorferry.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/// The first thousand lines that a part of the transport logs while this is open, kept from the console. An error
/// indicates an exception that reached a loop.
public final class CapturedLog implements AutoCloseable {
    private static final int MOST_LINES = 1000;

    private final Logger logger;
    private final Level levelBefore;
    private final boolean additiveBefore;
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            if (events.size() < MOST_LINES) {
                events.add(event);
            }
        }
    };

    private CapturedLog(String name, Level level) {
        logger = (Logger) LoggerFactory.getLogger(name);
        levelBefore = logger.getLevel();
        additiveBefore = logger.isAdditive();
        logger.setLevel(level);
        logger.setAdditive(false);
        appender.start();
        logger.addAppender(appender);
    }

    /// Warnings and errors of the whole transport, and nothing below, so that a test of a million messages is not a
    /// test of the log.
    public static CapturedLog ofTransport() {
        return new CapturedLog("io.tensorferry", Level.WARN);
    }

    /// Lines of one class, from INFO on.
    public static CapturedLog of(Class<?> source) {
        return new CapturedLog(source.getName(), Level.INFO);
    }

    public List<String> infos() {
        return messages(Level.INFO);
    }

    public List<String> warnings() {
        return messages(Level.WARN);
    }

    public List<String> errors() {
        return messages(Level.ERROR);
    }

    /// Drops the errors so far, which a test expected.
    public void forgetErrors() {
        events.removeIf(event -> event.getLevel() == Level.ERROR);
    }

    public void assertNoErrors() {
        assertThat(errors()).as("errors in the log").isEmpty();
    }

    private List<String> messages(Level level) {
        return events.stream()
                .filter(event -> event.getLevel() == level)
                .map(CapturedLog::describe)
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
