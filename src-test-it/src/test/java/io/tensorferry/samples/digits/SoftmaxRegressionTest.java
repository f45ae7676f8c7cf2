package io.tensorferry.samples.digits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SoftmaxRegressionTest {
    private static final Digits.Split DIGITS = Digits.shuffledSplit(TrainingPlan.SEED);
    private static final int[] BATCH = {0, 3, 14, 159, 265, 358};

    @Test
    void theGradientIsTheSlopeOfTheLoss() {
        var model = new SoftmaxRegression();
        var random = new Random(1);
        for (double[] parameters : List.of(model.weights(), model.bias())) {
            for (int i = 0; i < parameters.length; i++) {
                parameters[i] = random.nextGaussian() / 4;
            }
        }
        Gradient gradient = model.gradient(DIGITS.training(), BATCH);

        for (int i = 0; i < model.weights().length; i += 7) {
            assertThat(gradient.weights()[i])
                    .as("weight %d", i)
                    .isCloseTo(slope(model, model.weights(), i), within(1e-7));
        }
        for (int i = 0; i < model.bias().length; i++) {
            assertThat(gradient.bias()[i]).as("bias %d", i).isCloseTo(slope(model, model.bias(), i), within(1e-7));
        }
    }

    private static double slope(SoftmaxRegression model, double[] parameters, int index) {
        double step = 1e-5;
        double original = parameters[index];
        parameters[index] = original + step;
        double above = model.gradient(DIGITS.training(), BATCH).loss();
        parameters[index] = original - step;
        double below = model.gradient(DIGITS.training(), BATCH).loss();
        parameters[index] = original;
        return (above - below) / (2 * step);
    }

    @Test
    void theMeanOfTheSharesIsTheGradientOfTheBatch() {
        var plan = new TrainingPlan(1, 2);
        var model = new SoftmaxRegression();
        Gradient whole = model.gradient(DIGITS.training(), plan.batch(0, DIGITS.training()));
        Gradient mean = Gradient.mean(List.of(
                model.gradient(DIGITS.training(), plan.share(0, DIGITS.training(), 0)),
                model.gradient(DIGITS.training(), plan.share(0, DIGITS.training(), 1))));

        assertThat(mean.weights()).containsExactly(whole.weights(), within(1e-15));
        assertThat(mean.bias()).containsExactly(whole.bias(), within(1e-15));
        assertThat(mean.loss()).isCloseTo(whole.loss(), within(1e-12));
    }

    @Test
    void anUntrainedModelHasTheLossOfGuessing() {
        assertThat(new SoftmaxRegression().gradient(DIGITS.training(), BATCH).loss())
                .isCloseTo(Math.log(Digits.CLASSES), within(1e-12));
    }

    @Test
    void oneProcessLearnsToReadTheHeldOutDigits() {
        SoftmaxRegression model = new TrainingPlan(400, 2).trainAlone(DIGITS.training());

        assertThat(model.accuracy(DIGITS.heldOut())).isGreaterThanOrEqualTo(0.93);
    }

    @Test
    void distanceSeesEveryParameterAndNoNumber() {
        var model = new SoftmaxRegression();
        var other = new SoftmaxRegression();
        assertThat(model.distance(other)).isZero();
        other.bias()[9] = -0.5;
        assertThat(model.distance(other)).isEqualTo(0.5);
        other.weights()[639] = Double.NaN;
        assertThat(model.distance(other)).isNaN();
    }
}
