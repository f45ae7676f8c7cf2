package io.tensorferry.samples.digits;

import static io.tensorferry.samples.digits.ModelExchange.BIAS;
import static io.tensorferry.samples.digits.ModelExchange.LOSS;
import static io.tensorferry.samples.digits.ModelExchange.WEIGHTS;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.Shape;
import io.tensorferry.grpc.TransportServer;
import java.util.List;

/// A worker: in each step, receives the model from the parameter server, and sends the gradient over its part of the
/// batch.
final class Worker {
    private final TrainingPlan plan;
    private final Digits training;
    private final ModelExchange exchange;
    private final DeviceName self;
    private final DeviceName parameterServer = new DeviceName("ps", 0, 0, "CPU", 0);

    Worker(TransportServer server, ModelExchange exchange, TrainingPlan plan, Digits training) {
        this.plan = plan;
        this.training = training;
        this.exchange = exchange;
        this.self = server.deviceName(0);
    }

    /// Returns when the parameter server has received all gradients of this worker.
    ///
    /// @throws java.util.concurrent.CompletionException caused by a [io.tensorferry.api.TransportException] if the
    ///     parameter server is lost
    void work() {
        for (long step = 0; step < plan.steps(); step++) {
            SoftmaxRegression model = receiveModel(step);
            offerGradient(step, model.gradient(training, plan.share(step, training, self.task())));
            exchange.stepDone(step);
        }
        receiveModel(plan.steps());
        exchange.stepDone(plan.steps());
    }

    private SoftmaxRegression receiveModel(long step) {
        var weights = exchange.receive(step, parameterServer, "weights", WEIGHTS);
        var bias = exchange.receive(step, parameterServer, "bias", BIAS);
        return new SoftmaxRegression(weights.join(), bias.join());
    }

    private void offerGradient(long step, Gradient gradient) {
        offer(step, "weights gradient", WEIGHTS, gradient.weights());
        offer(step, "bias gradient", BIAS, gradient.bias());
        offer(step, "loss", LOSS, gradient.loss());
    }

    private void offer(long step, String name, Shape shape, double... values) {
        exchange.send(step, List.of(parameterServer), name, shape, values);
    }
}
