package io.tensorferry.samples.digits;

import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarStyle;

/// A bar with the loss and the held-out accuracy beside it: drawn over and over on a terminal, else one line for
/// each tenth of the way.
///
/// Threading: one thread calls, the bar's own thread draws.
final class ProgressDisplay implements ParameterServer.Progress, AutoCloseable {
    private static final int WIDTH = 110;
    private static final int NEVER_MS = Integer.MAX_VALUE;

    private final ProgressBar bar;
    private final boolean terminal;
    private final Digits heldOut;
    private final long interval;
    private String lastLine = "";

    ProgressDisplay(boolean terminal, long steps, Digits heldOut) {
        this.terminal = terminal;
        this.heldOut = heldOut;
        this.interval = Math.max(1, steps / (terminal ? 50 : 10));
        this.bar = ProgressBar.builder()
                .setTaskName("training")
                .setUnit(" steps", 1)
                .setInitialMax(steps)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(terminal ? 100 : NEVER_MS)
                .hideEta()
                .setConsumer(
                        terminal
                                ? new ConsoleProgressBarConsumer(System.out, WIDTH)
                                : new DelegatingProgressBarConsumer(this::printIfNew, WIDTH))
                .build();
    }

    @Override
    public void stepDone(long step, double loss, SoftmaxRegression model) {
        bar.step();
        if ((step + 1) % interval == 0) {
            bar.setExtraMessage(String.format(Locale.ROOT, " loss %.3f, accuracy %.3f", loss, model.accuracy(heldOut)));
            if (!terminal) {
                bar.refresh();
            }
        }
    }

    // The bar tells its end more than once.
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
