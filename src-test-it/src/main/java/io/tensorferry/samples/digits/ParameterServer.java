package io.tensorferry.samples.digits;

import static io.tensorferry.samples.digits.ModelExchange.BIAS;
import static io.tensorferry.samples.digits.ModelExchange.LOSS;
import static io.tensorferry.samples.digits.ModelExchange.WEIGHTS;

import io.tensorferry.api.DeviceName;
import io.tensorferry.grpc.TransportServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Holds the model: in each step, sends it to every worker, receives a gradient from every worker, and descends along
/// the mean gradient.
final class ParameterServer {
    /// Called after each step.
    interface Progress {
        void stepDone(long step, double loss, SoftmaxRegression model);
    }

    private final TrainingPlan plan;
    private final ModelExchange exchange;
    private final List<DeviceName> workers;
    private final SoftmaxRegression model = new SoftmaxRegression();

    ParameterServer(TransportServer server, ModelExchange exchange, TrainingPlan plan) {
        this.plan = plan;
        this.exchange = exchange;
        this.workers = server.cluster().tasks("worker").stream()
                .map(task -> new DeviceName("worker", 0, task, "CPU", 0))
                .toList();
    }

    /// @return the trained model, which the workers have not fetched yet
    /// @throws java.util.concurrent.CompletionException caused by a [io.tensorferry.api.TransportException] if a worker
    ///     is lost
    SoftmaxRegression train(Progress progress) {
        for (long step = 0; step < plan.steps(); step++) {
            offerModel(step);
            // Request all gradients before waiting for any, so that they are transferred concurrently.
            List<CompletableFuture<Gradient>> gradients = new ArrayList<>();
            for (DeviceName worker : workers) {
                gradients.add(gradientOf(step, worker));
            }
            Gradient gradient = Gradient.mean(
                    gradients.stream().map(CompletableFuture::join).toList());
            model.descend(gradient, TrainingPlan.LEARNING_RATE);
            exchange.stepDone(step);
            progress.stepDone(step, gradient.loss(), model);
        }
        // The model of the step after the last one signals the end of the training to the workers.
        offerModel(plan.steps());
        exchange.stepDone(plan.steps());
        return model;
    }

    private void offerModel(long step) {
        exchange.send(step, workers, "weights", WEIGHTS, model.weights());
        exchange.send(step, workers, "bias", BIAS, model.bias());
    }

    private CompletableFuture<Gradient> gradientOf(long step, DeviceName worker) {
        var weights = exchange.receive(step, worker, "weights gradient", WEIGHTS);
        var bias = exchange.receive(step, worker, "bias gradient", BIAS);
        var loss = exchange.receive(step, worker, "loss", LOSS);
        return CompletableFuture.allOf(weights, bias, loss)
                .thenApply(_ -> new Gradient(weights.join(), bias.join(), loss.join()[0]));
    }
}
