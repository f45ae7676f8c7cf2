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

/// What the verbs transport of a server is opened with. Immutable.
///
/// @param providers where devices come from, in order of preference
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

    /// The caller closes the device.
    ChosenPort openDevice() {
        return DeviceChoice.choose(config, providers);
    }
}
