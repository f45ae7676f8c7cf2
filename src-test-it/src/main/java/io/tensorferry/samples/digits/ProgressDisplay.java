package io.tensorferry.samples.digits;

import io.tensorferry.it.progress.Progress;
import java.util.Locale;

/// Shows the training's progress bar with the loss and the held-out accuracy. For one thread.
final class ProgressDisplay implements ParameterServer.Progress, AutoCloseable {
    private final Progress progress;
    private final Digits heldOut;

    ProgressDisplay(boolean terminal, long steps, Digits heldOut) {
        this.progress = new Progress("training", " steps", steps, terminal);
        this.heldOut = heldOut;
    }

    @Override
    public void stepDone(long step, double loss, SoftmaxRegression model) {
        progress.step(() -> String.format(Locale.ROOT, "loss %.3f, accuracy %.3f", loss, model.accuracy(heldOut)));
    }

    @Override
    public void close() {
        progress.close();
    }
}
