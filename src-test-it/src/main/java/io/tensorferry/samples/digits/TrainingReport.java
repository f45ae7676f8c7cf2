package io.tensorferry.samples.digits;

import io.tensorferry.grpc.TransportStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The result of the training, and its verification.
///
/// @param accuracy on the held-out images
/// @param distance the largest difference of a parameter from the training in one process
/// @param traffic of the parameter server, which takes part in every transfer
record TrainingReport(
        TrainingPlan plan,
        String protocol,
        String device,
        double accuracy,
        double distance,
        TransportStatistics traffic,
        Duration elapsed) {
    private static final double ENOUGH_ACCURACY = 0.93;
    private static final double TOLERANCE = 1e-6;
    // With fewer steps the model cannot have learnt enough, so only the equality is checked.
    private static final long ENOUGH_STEPS = 200;

    /// The failed checks, one sentence each; empty if all passed.
    List<String> failures() {
        var failures = new ArrayList<String>();
        // Written so that NaN fails.
        if (!(distance <= TOLERANCE)) {
            failures.add(String.format(
                    Locale.ROOT,
                    "the weights differ by %.3g from those of the training in one process; at most %.0e is allowed",
                    distance,
                    TOLERANCE));
        }
        if (plan.steps() >= ENOUGH_STEPS && !(accuracy >= ENOUGH_ACCURACY)) {
            failures.add(String.format(
                    Locale.ROOT,
                    "the held-out accuracy is %.4f; at least %.2f is expected",
                    accuracy,
                    ENOUGH_ACCURACY));
        }
        return failures;
    }

    @Override
    public String toString() {
        long tensors = traffic.tensorsSent() + traffic.tensorsReceived();
        long bytes = traffic.bytesSent() + traffic.bytesReceived();
        double seconds = elapsed.toNanos() / 1e9;
        return String.format(
                Locale.ROOT,
                """
                held-out accuracy  %.4f
                one-process check  largest difference of a parameter %.1e (at most %.0e)
                moved              %,d tensors, %,d bytes in %d steps
                throughput         %,.0f steps/s, %,.0f tensors/s, %,.1f MB/s
                device             %s
                protocol           %s""",
                accuracy,
                distance,
                TOLERANCE,
                tensors,
                bytes,
                plan.steps(),
                plan.steps() / seconds,
                tensors / seconds,
                bytes / seconds / 1e6,
                device,
                protocol);
    }
}
