package io.tensorferry.samples.digits;

import static io.tensorferry.samples.digits.Digits.CLASSES;
import static io.tensorferry.samples.digits.Digits.PIXELS;

/// Softmax regression: the probability of each digit is the softmax of `weights^T * image + bias`.
///
/// In double precision, so that the order of summation of gradients (per worker, or over the whole batch) changes the
/// result by far less than the 1e-6 that the demo allows.
///
/// @param weights of shape `[64, 10]`, row-major
/// @param bias of shape `[10]`
// The arrays are operands; no code compares two models by equals.
@SuppressWarnings("ArrayRecordComponent")
record SoftmaxRegression(double[] weights, double[] bias) {
    /// Starts from zero: the loss is convex, so a random start has no advantage.
    SoftmaxRegression() {
        this(new double[PIXELS * CLASSES], new double[CLASSES]);
    }

    /// The mean gradient and the mean cross-entropy over the images with the indices in `batch`.
    Gradient gradient(Digits digits, int[] batch) {
        double[] weightGradient = new double[PIXELS * CLASSES];
        double[] biasGradient = new double[CLASSES];
        double loss = 0;
        for (int index : batch) {
            double[] image = digits.images().get(index);
            int label = digits.labels().get(index);
            double[] error = probabilities(image);
            loss -= Math.log(error[label]) / batch.length;
            error[label] -= 1;
            for (int digit = 0; digit < CLASSES; digit++) {
                double share = error[digit] / batch.length;
                biasGradient[digit] += share;
                for (int pixel = 0; pixel < PIXELS; pixel++) {
                    weightGradient[pixel * CLASSES + digit] += share * image[pixel];
                }
            }
        }
        return new Gradient(weightGradient, biasGradient, loss);
    }

    /// One step of gradient descent.
    void descend(Gradient gradient, double rate) {
        for (int i = 0; i < weights.length; i++) {
            weights[i] -= rate * gradient.weights()[i];
        }
        for (int i = 0; i < bias.length; i++) {
            bias[i] -= rate * gradient.bias()[i];
        }
    }

    /// The fraction of correctly classified images.
    double accuracy(Digits digits) {
        int correct = 0;
        for (int index = 0; index < digits.count(); index++) {
            double[] probabilities = probabilities(digits.images().get(index));
            int best = 0;
            for (int digit = 1; digit < CLASSES; digit++) {
                best = probabilities[digit] > probabilities[best] ? digit : best;
            }
            correct += best == digits.labels().get(index) ? 1 : 0;
        }
        return (double) correct / digits.count();
    }

    /// The largest absolute difference between corresponding parameters; `NaN` if any parameter is `NaN`.
    double distance(SoftmaxRegression other) {
        double largest = 0;
        for (int i = 0; i < weights.length; i++) {
            largest = Math.max(largest, Math.abs(weights[i] - other.weights[i]));
        }
        for (int i = 0; i < bias.length; i++) {
            largest = Math.max(largest, Math.abs(bias[i] - other.bias[i]));
        }
        return largest;
    }

    private double[] probabilities(double[] image) {
        double[] scores = bias.clone();
        double highest = Double.NEGATIVE_INFINITY;
        for (int digit = 0; digit < CLASSES; digit++) {
            for (int pixel = 0; pixel < PIXELS; pixel++) {
                scores[digit] += weights[pixel * CLASSES + digit] * image[pixel];
            }
            highest = Math.max(highest, scores[digit]);
        }
        double sum = 0;
        for (int digit = 0; digit < CLASSES; digit++) {
            // Subtract the maximum, so that exp cannot overflow.
            scores[digit] = Math.exp(scores[digit] - highest);
            sum += scores[digit];
        }
        for (int digit = 0; digit < CLASSES; digit++) {
            scores[digit] /= sum;
        }
        return scores;
    }
}
