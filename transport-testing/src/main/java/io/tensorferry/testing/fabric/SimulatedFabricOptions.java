package io.tensorferry.testing.fabric;

import io.tensorferry.verbs.device.DeviceAttributes;
import java.util.function.IntPredicate;

/// What a simulated network is like.
///
/// @param leastDelayNs the shortest time that a request or an answer is on its way
/// @param mostDelayNs the longest, but for spikes
/// @param bytesPerMicrosecond how fast the payload of one message moves
/// @param linkRate bytes that all messages from one node together move in a microsecond; 0 for no limit
/// @param spikeProbability how often a delay is longer, 0 to 1
/// @param spikeNs how much longer at most
/// @param corruptionProbability how often one bit of a message's payload is flipped on its way, 0 to 1; hardware
///     would never tell
/// @param corruptible which messages may be corrupted, by their immediate; 0 stands for none
/// @param maxMessageBytes the largest message of one work request (`max_msg_sz`)
/// @param maxWindowBytes what one memory window opens at most; a larger bind is refused with EOPNOTSUPP, as mlx5 does
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
    /// @throws IllegalArgumentException if a value makes no sense
    public SimulatedFabricOptions {
        if (leastDelayNs < 0 || mostDelayNs < leastDelayNs || spikeNs < 0) {
            throw new IllegalArgumentException("delays are 0 or more, the longest not less than the shortest");
        }
        if (maxWindowBytes < 1) {
            throw new IllegalArgumentException("maxWindowBytes is 1 or more");
        }
        if (linkRate < 0 || bytesPerMicrosecond < 1 || maxMessageBytes < 1 || maxMessageBytes > 0xFFFF_FFFFL) {
            throw new IllegalArgumentException(
                    "linkRate is 0 or more, bytesPerMicrosecond and maxMessageBytes are 1 or more, the latter below 2^32");
        }
        if (!(spikeProbability >= 0
                && spikeProbability <= 1
                && corruptionProbability >= 0
                && corruptionProbability <= 1)) {
            throw new IllegalArgumentException("a probability is 0 to 1");
        }
    }

    /// 1 to 20 us, 10 GB/s for each message, now and then a delay of up to 500 us, no corruption.
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

    /// Spares the messages whose immediate `which` refuses; 0 stands for no immediate.
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

    /// All messages from one node share `bytesPerMicrosecond`, as on a cable; one alone is as fast.
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
