package io.tensorferry.testing.fabric;

import io.tensorferry.verbs.device.DeviceAttributes;
import java.util.function.IntPredicate;

/// Properties of a simulated network.
///
/// @param leastDelayNs the minimum delay of a request or an answer
/// @param mostDelayNs the maximum delay, except for spikes
/// @param bytesPerMicrosecond the transfer rate of one message's payload
/// @param linkRate bytes per microsecond shared by all messages from one node; 0 for no limit
/// @param spikeProbability the probability of an additional delay, 0 to 1
/// @param spikeNs the maximum additional delay
/// @param corruptionProbability the probability that one bit of a message's payload flips in transit, undetected by the
///     device, 0 to 1
/// @param corruptible selects the messages that may be corrupted, by their immediate; 0 stands for none
/// @param maxMessageBytes the largest message of one work request (`max_msg_sz`)
/// @param maxWindowBytes the largest range of one memory window; a larger bind is refused with EOPNOTSUPP, as on mlx5
public record SimulatedFabricOptions(
        long leastDelayNs,
        long mostDelayNs,
        long bytesPerMicrosecond,
        long linkRate,
        double spikeProbability,
        long spikeNs,
        double corruptionProbability,
        IntPredicate corruptible,
        long maxMessageBytes,
        long maxWindowBytes) {
    /// @throws IllegalArgumentException if a value is out of its range
    public SimulatedFabricOptions {
        if (leastDelayNs < 0 || mostDelayNs < leastDelayNs || spikeNs < 0) {
            throw new IllegalArgumentException("delays must be 0 or more, the longest not less than the shortest");
        }
        if (maxWindowBytes < 1) {
            throw new IllegalArgumentException("maxWindowBytes must be 1 or more");
        }
        if (linkRate < 0 || bytesPerMicrosecond < 1 || maxMessageBytes < 1 || maxMessageBytes > 0xFFFF_FFFFL) {
            throw new IllegalArgumentException(
                    "linkRate must be 0 or more, bytesPerMicrosecond 1 or more, maxMessageBytes 1 to 2^32 - 1");
        }
        if (!(spikeProbability >= 0
                && spikeProbability <= 1
                && corruptionProbability >= 0
                && corruptionProbability <= 1)) {
            throw new IllegalArgumentException("a probability must be 0 to 1");
        }
    }

    /// Delays of 1 to 20 us, 10 GB/s per message, occasional spikes of up to 500 us, no corruption.
    public static SimulatedFabricOptions defaults() {
        return new SimulatedFabricOptions(
                1_000,
                20_000,
                10_000,
                0,
                0.01,
                500_000,
                0,
                immediate -> true,
                1L << 30,
                DeviceAttributes.USUAL_WINDOW_BYTES);
    }

    public SimulatedFabricOptions withCorruptionProbability(double probability) {
        return with(spikeProbability, spikeNs, probability, corruptible, maxMessageBytes);
    }

    /// Corrupts only messages whose immediate `which` accepts; 0 stands for no immediate.
    public SimulatedFabricOptions withCorruptible(IntPredicate which) {
        return with(spikeProbability, spikeNs, corruptionProbability, which, maxMessageBytes);
    }

    public SimulatedFabricOptions withSpikes(double probability, long mostNs) {
        return with(probability, mostNs, corruptionProbability, corruptible, maxMessageBytes);
    }

    public SimulatedFabricOptions withMaxMessageBytes(long bytes) {
        return with(spikeProbability, spikeNs, corruptionProbability, corruptible, bytes);
    }

    public SimulatedFabricOptions withMaxWindowBytes(long bytes) {
        return new SimulatedFabricOptions(
                leastDelayNs,
                mostDelayNs,
                bytesPerMicrosecond,
                linkRate,
                spikeProbability,
                spikeNs,
                corruptionProbability,
                corruptible,
                maxMessageBytes,
                bytes);
    }

    /// Makes all messages from one node share `bytesPerMicrosecond`, as on a cable. A single message moves at the same
    /// rate.
    public SimulatedFabricOptions withLinkRate(long bytesPerMicrosecond) {
        return new SimulatedFabricOptions(
                leastDelayNs,
                mostDelayNs,
                bytesPerMicrosecond,
                bytesPerMicrosecond,
                spikeProbability,
                spikeNs,
                corruptionProbability,
                corruptible,
                maxMessageBytes,
                maxWindowBytes);
    }

    private SimulatedFabricOptions with(
            double newSpikeProbability,
            long newSpikeNs,
            double newCorruptionProbability,
            IntPredicate newCorruptible,
            long newMaxMessageBytes) {
        return new SimulatedFabricOptions(
                leastDelayNs,
                mostDelayNs,
                bytesPerMicrosecond,
                linkRate,
                newSpikeProbability,
                newSpikeNs,
                newCorruptionProbability,
                newCorruptible,
                newMaxMessageBytes,
                maxWindowBytes);
    }
}
