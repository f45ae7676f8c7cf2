package io.tensorferry.cli.devices;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.TransportException;
import io.tensorferry.cuda.CudaDescription;
import io.tensorferry.cuda.CudaDevices;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.memory.DirectAccess;
import java.util.ArrayList;
import java.util.List;

/// The GPUs of this machine, or why there is none.
sealed interface GpuListing {
    /// @param gpus one or more
    record Found(List<Gpu> gpus) implements GpuListing {}

    /// @param reason what is in the way
    record Absent(String reason) implements GpuListing {}

    /// @param reaches of each RDMA device, in their order
    record Gpu(CudaDescription what, List<Reach> reaches) {}

    /// Whether an RDMA device reaches the memory of a GPU by itself.
    ///
    /// @param answer what came of registering some of it: how, or why not
    record Reach(String device, String answer) {}

    /// Asks the CUDA driver, and loads it for that. A driver that fails is absence too: it must not hide the RDMA
    /// devices.
    ///
    /// @param providers of the RDMA devices that are tried with each GPU
    static GpuListing find(List<VerbsProvider> providers) {
        try {
            return switch (CudaDevices.find()) {
                case CudaDevices.Found found ->
                    new Found(found.devices().stream()
                            .map(gpu -> new Gpu(gpu, tryOut(gpu, providers)))
                            .toList());
                case CudaDevices.Absent absent -> new Absent(absent.reason());
            };
        } catch (TransportException e) {
            return new Absent(String.valueOf(e.getMessage()));
        }
    }

    private static List<Reach> tryOut(CudaDescription gpu, List<VerbsProvider> providers) {
        try (Accelerator opened = CudaDevices.open(gpu.ordinal())) {
            return tryOut(opened, providers);
        } catch (TransportException e) {
            return List.of(new Reach("every device", "no: " + e.getMessage()));
        }
    }

    /// Registers some of an accelerator's memory with each RDMA device, and frees it again.
    static List<Reach> tryOut(Accelerator gpu, List<VerbsProvider> providers) {
        var reaches = new ArrayList<Reach>();
        for (VerbsProvider provider : providers) {
            for (String name : provider.deviceNames()) {
                reaches.add(new Reach(name, tryOut(gpu, provider, name)));
            }
        }
        return reaches;
    }

    private static String tryOut(Accelerator gpu, VerbsProvider provider, String name) {
        try (VerbsDevice device = provider.open(name);
                ProtectionDomain domain = device.allocateProtectionDomain()) {
            return DirectAccess.tryOut(domain, gpu).toString();
        } catch (VerbsException e) {
            return "no: " + e.getMessage();
        }
    }
}
