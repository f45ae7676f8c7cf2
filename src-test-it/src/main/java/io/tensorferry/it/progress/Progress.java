package io.tensorferry.it.progress;

import java.util.function.Supplier;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarStyle;

/// A progress bar on standard output: redrawn on a terminal, otherwise one line for each tenth of the steps.
///
/// Threading: one thread.
public final class Progress implements AutoCloseable {
    /// The system property that is `true` if the output ends at a terminal that this process cannot detect.
    public static final String TERMINAL = "progress.terminal";

    private static final int WIDTH = 110;
    // The stepping thread draws the bar: a separate thread would disturb the measurement.
    private static final int NEVER_MS = Integer.MAX_VALUE;
    private static final int DRAWINGS = 200;
    private static final int LINES = 10;

    private final ProgressBar bar;
    private final long interval;
    private long done;
    private String lastLine = "";

    /// Shows progress on the terminal of this process, if it has one.
    ///
    /// @param unit the unit of a step, printed after a number
    public Progress(String task, String unit, long steps) {
        this(task, unit, steps, onTerminal());
    }

    public Progress(String task, String unit, long steps, boolean terminal) {
        this.interval = Math.max(1, steps / (terminal ? DRAWINGS : LINES));
        this.bar = ProgressBar.builder()
                .setTaskName(task)
                .setUnit(unit, 1)
                .setInitialMax(steps)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(NEVER_MS)
                .hideEta()
                .setConsumer(
                        terminal
                                ? new ConsoleProgressBarConsumer(System.out, WIDTH)
                                : new DelegatingProgressBarConsumer(this::printIfNew, WIDTH))
                .build();
    }

    /// Whether standard output is a terminal, or ends at one according to [#TERMINAL].
    // Since JDK 25, System.console() is again null without a terminal.
    @SuppressWarnings("SystemConsoleNull")
    public static boolean onTerminal() {
        return Boolean.getBoolean(TERMINAL)
                || (System.console() != null && System.console().isTerminal());
    }

    /// Advances the bar by one step.
    ///
    /// @param message the text beside the bar; called only if this step is shown
    public void step(Supplier<String> message) {
        done++;
        bar.step();
        if (done % interval == 0) {
            bar.setExtraMessage(" " + message.get());
            bar.refresh();
        }
    }

    // The bar reports its end more than once.
    private synchronized void printIfNew(String line) {
        if (!line.equals(lastLine)) {
            System.out.println(line);
            lastLine = line;
        }
    }

    @Override
    public void close() {
        bar.close();
    }
}
