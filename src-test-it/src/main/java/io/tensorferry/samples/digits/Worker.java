package io.tensorferry.samples.digits;

import static io.tensorferry.samples.digits.ModelExchange.BIAS;
import static io.tensorferry.samples.digits.ModelExchange.WEIGHTS;

import io.tensorferry.api.DeviceName;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.Shape;
import io.tensorferry.grpc.TransportServer;

/// Computes: in each step, asks the parameter server for the model, and offers it the gradient over this worker's
/// part of the batch.
final class Worker {
    private final TransportServer server;
    private final TrainingPlan plan;
    private final Digits training;
    private final ModelExchange exchange;
    private final DeviceName self;
    private final DeviceName parameterServer = new DeviceName("ps", 0, 0, "CPU", 0);

    Worker(TransportServer server, TrainingPlan plan, Digits training) {
        this.server = server;
        this.plan = plan;
        this.training = training;
        this.exchange = new ModelExchange(server.allocator());
        this.self = server.deviceName(0);
    }

    /// Returns when the parameter server has all gradients of this worker.
    ///
    /// @throws java.util.concurrent.CompletionException caused by a [io.tensorferry.api.TransportException] if the
    ///     parameter server is lost
    void work() {
        for (long step = 0; step < plan.steps(); step++) {
            Rendezvous rendezvous = server.rendezvous(step);
            SoftmaxRegression model = receiveModel(rendezvous);
            // There is a model for this step, so the gradients of the step before were collected. Closing it earlier
            // would drop them.
            server.closeStep(step - 1);
            offerGradient(rendezvous, model.gradient(training, plan.share(step, training, self.task())));
        }
        receiveModel(server.rendezvous(plan.steps()));
    }

    private SoftmaxRegression receiveModel(Rendezvous rendezvous) {
        var weights = ModelExchange.receive(rendezvous, parameterServer, self, "weights");
        var bias = ModelExchange.receive(rendezvous, parameterServer, self, "bias");
        return new SoftmaxRegression(weights.join(), bias.join());
    }

    private void offerGradient(Rendezvous rendezvous, Gradient gradient) {
        var weights = exchange.tensor(WEIGHTS, gradient.weights());
        var bias = exchange.tensor(BIAS, gradient.bias());
        var loss = exchange.tensor(Shape.scalar(), gradient.loss());
        ModelExchange.send(rendezvous, self, parameterServer, "weights gradient", weights);
        ModelExchange.send(rendezvous, self, parameterServer, "bias gradient", bias);
        ModelExchange.send(rendezvous, self, parameterServer, "loss", loss);
    }
}
