package io.tensorferry.samples.digits;

import java.util.List;

/// The gradient of the loss with respect to the parameters, as a mean over some images, and the loss itself.
// The arrays are operands; no code compares two gradients.
@SuppressWarnings("ArrayRecordComponent")
record Gradient(double[] weights, double[] bias, double loss) {
    /// The gradient over all images, from the gradients of equally large parts of them.
    static Gradient mean(List<Gradient> parts) {
        var mean =
                new Gradient(new double[parts.getFirst().weights.length], new double[parts.getFirst().bias.length], 0);
        for (Gradient part : parts) {
            mean = new Gradient(
                    sum(mean.weights, part.weights, parts.size()),
                    sum(mean.bias, part.bias, parts.size()),
                    mean.loss + part.loss / parts.size());
        }
        return mean;
    }

    private static double[] sum(double[] left, double[] right, int divisor) {
        double[] sum = left.clone();
        for (int i = 0; i < sum.length; i++) {
            sum[i] += right[i] / divisor;
        }
        return sum;
    }
}
