package io.tensorferry.samples.digits;

import static io.tensorferry.samples.digits.ModelExchange.BIAS;
import static io.tensorferry.samples.digits.ModelExchange.WEIGHTS;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Keeps the model: in each step, gives it to every worker, asks every worker for a gradient, and goes one step
/// down the mean of them.
///
/// Each training step is one step of the transport, with a rendezvous of its own.
final class ParameterServer {
    /// Told after each step.
    interface Progress {
        void stepDone(long step, double loss, SoftmaxRegression model);
    }

    private final TransportServer server;
    private final TrainingPlan plan;
    private final ModelExchange exchange;
    private final DeviceName self;
    private final List<DeviceName> workers;
    private final SoftmaxRegression model = new SoftmaxRegression();

    ParameterServer(TransportServer server, TrainingPlan plan) {
        this.server = server;
        this.plan = plan;
        this.exchange = new ModelExchange(server.allocator());
        this.self = server.deviceName(0);
        this.workers = server.cluster().tasks("worker").stream()
                .map(task -> new DeviceName("worker", 0, task, "CPU", 0))
                .toList();
    }

    /// @return the trained model, which the workers are still to collect
    /// @throws java.util.concurrent.CompletionException caused by a [io.tensorferry.api.TransportException] if a
    ///     worker is lost
    SoftmaxRegression train(Progress progress) {
        for (long step = 0; step < plan.steps(); step++) {
            Rendezvous rendezvous = server.rendezvous(step);
            offerModel(rendezvous);
            // Ask all before waiting for any: the gradients travel side by side.
            List<CompletableFuture<Gradient>> gradients = workers.stream()
                    .map(worker -> gradientOf(rendezvous, worker))
                    .toList();
            Gradient gradient = Gradient.mean(
                    gradients.stream().map(CompletableFuture::join).toList());
            model.descend(gradient, TrainingPlan.LEARNING_RATE);
            server.closeStep(step);
            progress.stepDone(step, gradient.loss(), model);
        }
        // The model of the step after the last one tells the workers that there is no more to do.
        offerModel(server.rendezvous(plan.steps()));
        return model;
    }

    private void offerModel(Rendezvous rendezvous) {
        try (Tensor weights = exchange.tensor(WEIGHTS, model.weights());
                Tensor bias = exchange.tensor(BIAS, model.bias())) {
            for (DeviceName worker : workers) {
                // send takes the handle it is given, so each worker gets one of its own on the same memory.
                ModelExchange.send(rendezvous, self, worker, "weights", weights.share());
                ModelExchange.send(rendezvous, self, worker, "bias", bias.share());
            }
        }
    }

    private CompletableFuture<Gradient> gradientOf(Rendezvous rendezvous, DeviceName worker) {
        var weights = ModelExchange.receive(rendezvous, worker, self, "weights gradient");
        var bias = ModelExchange.receive(rendezvous, worker, self, "bias gradient");
        var loss = ModelExchange.receive(rendezvous, worker, self, "loss");
        return CompletableFuture.allOf(weights, bias, loss)
                .thenApply(_ -> new Gradient(weights.join(), bias.join(), loss.join()[0]));
    }
}
