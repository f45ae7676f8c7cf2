package io.tensorferry.samples.digits;

import java.util.Arrays;
import java.util.SplittableRandom;

/// The parameters that every process of one training knows from the start, so that no batch is transferred.
///
/// @param steps the number of batches
/// @param workers the number of workers that share each batch equally
record TrainingPlan(long steps, int workers) {
    static final long SEED = 20260101;
    static final double LEARNING_RATE = 0.5;

    private static final int IMAGES_PER_WORKER = 32;

    /// The training images of a step, drawn with replacement; the same in every process.
    int[] batch(long step, Digits training) {
        var random = new SplittableRandom(SEED + step);
        return random.ints((long) workers * IMAGES_PER_WORKER, 0, training.count())
                .toArray();
    }

    /// The part of a step's batch that `worker` computes.
    int[] share(long step, Digits training, int worker) {
        int from = worker * IMAGES_PER_WORKER;
        return Arrays.copyOfRange(batch(step, training), from, from + IMAGES_PER_WORKER);
    }

    /// Runs the same training in this process alone, as the reference result of the distributed training.
    SoftmaxRegression trainAlone(Digits training) {
        var model = new SoftmaxRegression();
        for (long step = 0; step < steps; step++) {
            model.descend(model.gradient(training, batch(step, training)), LEARNING_RATE);
        }
        return model;
    }
}
