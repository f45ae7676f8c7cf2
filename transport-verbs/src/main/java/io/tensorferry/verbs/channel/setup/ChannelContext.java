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

/// The resources shared by the channels of one adapter. Immutable. Its components are thread-safe unless documented
/// otherwise.
///
/// @param piecesAtOnce pieces of one content, as in [io.tensorferry.verbs.link.RdmaAdapterOptions#piecesAtOnce()]
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
    /// The most bytes that one rkey opens to a peer; larger memory is named in pieces.
    public long mostGrantedBytes() {
        return switch (config.rkeyScope()) {
            case SLAB -> Long.MAX_VALUE;
            case REQUEST -> port.device().attributes().maxWindowBytes();
        };
    }

    /// Runs `work` on a background thread, and then `then` on the loop, even if `work` throws. If the executor rejects
    /// the task, the calling thread runs it, because a channel's resources must be released.
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

    /// Whether receives have a fallback if no channel to the peer can be set up.
    public boolean hasFallback() {
        return config.fallback() != Fallback.NONE;
    }
}
