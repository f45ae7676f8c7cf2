package io.tensorferry.cli.devices;

import io.tensorferry.cli.console.ExitStatus;
import io.tensorferry.cli.console.Json;
import io.tensorferry.cli.console.Settings;
import io.tensorferry.grpc.VerbsProviders;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.choice.ChoiceExplanation;
import io.tensorferry.verbs.device.choice.DeviceChoice;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Lists the devices and the GPUs of this machine, and explains which device a server would choose.
@Command(
        name = "devices",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Lists the RDMA devices of this machine, and which one is chosen.",
            "It prints each device with its limits, ports and GIDs, then the device, port",
            "and GID that a server would choose, and why not the others. It also",
            "lists the GPUs, and tries which RDMA devices can access their memory directly",
            "(GPUDirect). The application decides which GPUs are used."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:a server would choose a device", "1:no device is usable", "2:wrong usage"})
public final class DevicesCommand implements Callable<Integer> {
    private static final String SOFTWARE = "software";

    private final Map<String, String> environment;
    private final Supplier<List<VerbsProvider>> providers;
    private final Function<List<VerbsProvider>, GpuListing> gpus;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--json", description = "one JSON object instead of text")
    private boolean json;

    @Option(
            names = "--no-software",
            description = "leave out the software device, which is always available: 1 if no other is usable")
    private boolean noSoftware;

    /// @param environment the source of the `RDMA_*` variables
    public DevicesCommand(Map<String, String> environment) {
        this(environment, () -> VerbsProviders.forHost(InetAddress.getLoopbackAddress()), GpuListing::find);
    }

    DevicesCommand(
            Map<String, String> environment,
            Supplier<List<VerbsProvider>> providers,
            Function<List<VerbsProvider>, GpuListing> gpus) {
        this.environment = environment;
        this.providers = providers;
        this.gpus = gpus;
    }

    @Override
    public Integer call() {
        RdmaConfig config = Settings.rdma(environment, spec);
        List<VerbsProvider> asked = providers.get().stream()
                .filter(provider -> !noSoftware || !provider.name().equals(SOFTWARE))
                .toList();
        List<DeviceListing> devices = DeviceListing.of(asked);
        ChoiceExplanation choice = DeviceChoice.explain(config, asked);
        GpuListing accelerators = gpus.apply(asked);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Json.pretty(DevicesJson.of(devices, accelerators, choice)));
        } else {
            new DevicesText(out).print(devices, accelerators, choice, Settings.given(environment));
        }
        out.flush();
        return choice.taken() == null ? ExitStatus.FAILED : ExitStatus.OK;
    }
}
