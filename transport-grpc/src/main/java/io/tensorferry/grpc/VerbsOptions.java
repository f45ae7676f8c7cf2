package io.tensorferry.grpc;

import io.tensorferry.api.Accelerator;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RendezvousOptions;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.choice.ChosenPort;
import io.tensorferry.verbs.device.choice.DeviceChoice;
import java.util.List;

/// The options of a server's verbs transport. Immutable.
///
/// @param providers the device providers, in order of preference
record VerbsOptions(
        RdmaConfig config,
        ChannelOptions channel,
        MemoryOptions memory,
        RendezvousOptions rendezvous,
        List<Accelerator> accelerators,
        AcceleratorOptions acceleratorOptions,
        List<VerbsProvider> providers) {
    VerbsOptions {
        accelerators = List.copyOf(accelerators);
        providers = List.copyOf(providers);
    }

    /// Selects and opens a device. The caller closes it.
    ChosenPort openDevice() {
        return DeviceChoice.choose(config, providers);
    }
}
