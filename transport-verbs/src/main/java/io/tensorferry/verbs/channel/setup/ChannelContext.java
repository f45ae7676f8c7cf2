package io.tensorferry.verbs.channel.setup;

import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.Fallback;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.CompletionChannel;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.choice.ChosenPort;
import io.tensorferry.verbs.loop.BackgroundExecutor;
import io.tensorferry.verbs.loop.CompletionLoop;
import io.tensorferry.verbs.loop.Tell;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.util.random.RandomGenerator;

/// What the channels of one adapter share. Immutable; its parts may be used from any thread unless they say
/// otherwise.
///
/// @param piecesAtOnce of one content, as [io.tensorferry.verbs.link.RdmaAdapterOptions#piecesAtOnce()] says
/// @param background runs work that may block or take long: registration, creation of queue pairs
public record ChannelContext(
        String workerName,
        long incarnation,
        RdmaConfig config,
        ChannelOptions options,
        int piecesAtOnce,
        ChosenPort port,
        ProtectionDomain domain,
        CompletionChannel completions,
        RegisteredMemory memory,
        CompletionLoop loop,
        BackgroundExecutor background,
        ChannelCounters counters,
        CompletionVectors vectors,
        RandomGenerator random) {
    /// The most bytes that one key opens to a peer; memory of more is named in pieces.
    public long mostGrantedBytes() {
        return switch (config.rkeyScope()) {
            case SLAB -> Long.MAX_VALUE;
            case REQUEST -> port.device().attributes().maxWindowBytes();
        };
    }

    /// Does `work` on a worker, and `then` on the loop, whatever the work throws. Where no worker takes it, this thread
    /// does: what a channel holds must come back.
    public void offLoop(String what, Runnable work, Runnable then) {
        Runnable task = () -> {
            Tell.one(what, work);
            loop.execute(then);
        };
        try {
            background.execute(task);
        } catch (RuntimeException | Error e) {
            task.run();
        }
    }

    /// Whether there is another way for receives from a peer to whom no channel can be had.
    public boolean hasFallback() {
        return config.fallback() != Fallback.NONE;
    }
}
