package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Delivery;
import io.tensorferry.api.Tensor;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.config.AcceleratorOptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How fast a large tensor gets from one accelerator to another through proxies, in virtual time: the copies at both
/// ends and the writes go on beside each other.
@Timeout(120)
class PipelinedProxyTest {
    private static final int BYTES = 64 << 20;
    // Of what the slowest part alone would do.
    private static final double LEAST = 0.85;

    /// @param copyRate bytes of all copies in one direction in a microsecond
    /// @param linkRate the same of all that one worker writes
    @ParameterizedTest
    @CsvSource({"10000, 12000", "12000, 10000", "25000, 10000"})
    void itTakesLittleLongerThanItsSlowestPart(long copyRate, long linkRate) {
        var gpu = new SimulatedCluster.Gpu(
                AcceleratorOptions.defaults(),
                SimulatedAcceleratorOptions.defaults().withRates(copyRate, copyRate));
        var network = SimulatedFabricOptions.defaults().withSpikes(0, 0).withLinkRate(linkRate);
        try (var gpus =
                new GpuScenario(1, 2, SimulatedCluster.Options.defaults().withGpu(gpu), network)) {
            // The slabs of the proxies are made, and a result's memory is in the pool.
            transfer(gpus, "first");
            long tookNs = transfer(gpus, "second");
            long slower = Math.min(copyRate, linkRate);
            double ratio = BYTES * 1000.0 / slower / tookNs;
            System.out.printf(
                    "64 MiB, copies %d MB/s, link %d MB/s: %d us, %.3f of the slower%n",
                    copyRate, linkRate, tookNs / 1000, ratio);
            assertThat(ratio).isGreaterThanOrEqualTo(LEAST).isLessThanOrEqualTo(1);
            PieceStage.end(gpus);
        }
    }

    /// Returns how long it took from the receive on, for a tensor that is there.
    private static long transfer(GpuScenario gpus, String edge) {
        byte[] content = GpuScenario.content(BYTES, edge.length());
        AcceleratorResults.send(gpus.scenario, edge, gpus.tensor(1, content));
        long begunNs = gpus.scenario.fabric.now();
        var receive = PieceStage.receive(gpus, edge, Delivery.COMPLETE);
        gpus.scenario.await(receive::hasEnded, edge);
        long tookNs = gpus.scenario.fabric.now() - begunNs;
        try (Tensor tensor = receive.tensor()) {
            assertThat(gpus.gpu(0).peek(tensor.address(), BYTES)).isEqualTo(content);
        }
        return tookNs;
    }
}
