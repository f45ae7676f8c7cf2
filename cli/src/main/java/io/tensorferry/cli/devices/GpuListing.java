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

/// The GPUs of this machine, or the reason why none is usable.
sealed interface GpuListing {
    /// @param gpus one or more
    record Found(List<Gpu> gpus) implements GpuListing {}

    /// @param reason the obstacle
    record Absent(String reason) implements GpuListing {}

    /// @param reaches one for each RDMA device, in their order
    record Gpu(CudaDescription what, List<Reach> reaches) {}

    /// Whether an RDMA device can access the memory of a GPU directly.
    ///
    /// @param answer the result of registering some of it: the method, or the reason why not
    record Reach(String device, String answer) {}

    /// Loads and queries the CUDA driver. A failing driver counts as absent, so that it does not hide the RDMA devices.
    ///
    /// @param providers the providers of the RDMA devices to test with each GPU
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
