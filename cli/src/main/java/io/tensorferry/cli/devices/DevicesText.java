package io.tensorferry.cli.devices;

import io.tensorferry.cli.console.ByteSize;
import io.tensorferry.cuda.CudaDescription;
import io.tensorferry.verbs.device.DeviceAttributes;
import io.tensorferry.verbs.device.DeviceDescription;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.choice.ChoiceExplanation;
import io.tensorferry.verbs.device.choice.DeviceCandidate;
import io.tensorferry.verbs.device.choice.GidCandidate;
import io.tensorferry.verbs.device.choice.PortCandidate;
import io.tensorferry.verbs.device.choice.ProviderCandidate;
import io.tensorferry.verbs.device.choice.Verdict;
import java.io.PrintWriter;
import java.util.List;

/// Prints the devices, the GPUs and the chosen device for people, in the terms of `ibv_devinfo`.
final class DevicesText {
    private static final double GIB = 1 << 30;

    private final PrintWriter out;

    DevicesText(PrintWriter out) {
        this.out = out;
    }

    /// @param settings the variables that are set, for example `RDMA_DEVICE=mlx5_0`
    void print(List<DeviceListing> devices, GpuListing gpus, ChoiceExplanation choice, List<String> settings) {
        devices.forEach(this::device);
        gpus(gpus);
        if (!settings.isEmpty()) {
            out.println("settings: " + String.join(" ", settings));
        }
        taken(choice);
        notTaken(choice);
    }

    private void device(DeviceListing listing) {
        out.println("hca_id: " + listing.name() + " (" + listing.provider() + ")");
        switch (listing) {
            case DeviceListing.Unread unreadable -> field(1, "not readable", unreadable.failure());
            case DeviceListing.Read readable -> {
                description(readable.description());
                limits(readable.attributes());
                readable.ports().forEach(this::port);
            }
        }
        out.println();
    }

    private void description(DeviceDescription what) {
        field(1, "transport", DeviceTerms.transport(what.transport()));
        field(1, "fw_ver", what.firmwareVersion().isEmpty() ? "-" : what.firmwareVersion());
        field(1, "node_guid", DeviceTerms.guid(what.nodeGuid()));
        field(1, "sys_image_guid", DeviceTerms.guid(what.systemImageGuid()));
        field(1, "vendor_id", "0x%04x".formatted(what.vendorId()));
        field(1, "vendor_part_id", what.vendorPartId());
        field(1, "hw_ver", "0x%X".formatted(what.hardwareVersion()));
    }

    private void limits(DeviceAttributes limits) {
        field(1, "phys_port_cnt", limits.portCount());
        field(1, "max_qp", limits.maxQueuePairs());
        field(1, "max_qp_wr", limits.maxWorkRequests());
        field(1, "max_cqe", limits.maxCompletionQueueEntries());
        field(1, "max_mr", limits.maxMemoryRegions());
        field(1, "max_mr_size", "0x%x".formatted(limits.maxMemoryRegionBytes()));
        field(1, "max_qp_rd_atom", limits.maxReadsAsTarget());
        field(1, "max_qp_init_rd_atom", limits.maxReadsAsInitiator());
        field(1, "write with immediate", limits.writeWithImmediate() ? "yes" : "no");
    }

    private void port(DeviceListing.Port listing) {
        PortAttributes port = listing.attributes();
        field(1, "port", listing.number());
        field(2, "state", DeviceTerms.state(port.state()));
        field(2, "max_mtu", DeviceTerms.mtu(port.maxMtu()));
        field(2, "active_mtu", DeviceTerms.mtu(port.activeMtu()));
        field(2, "sm_lid", port.subnetManagerLid());
        field(2, "port_lid", port.lid());
        field(2, "port_lmc", "0x%02x".formatted(port.lidMaskControl()));
        field(2, "link_layer", DeviceTerms.linkLayer(port.linkLayer()));
        field(2, "max_msg_sz", port.maxMessageBytes() + " (" + new ByteSize(port.maxMessageBytes()) + ")");
        field(2, "pkey_tbl_len", port.pkeyTableLength());
        field(2, "gid_tbl_len", port.gidTableLength());
        for (GidEntry entry : listing.gids()) {
            field(2, "GID[%3d]".formatted(entry.index()), entry.gid() + ", " + entry.type());
        }
    }

    private void gpus(GpuListing listing) {
        switch (listing) {
            case GpuListing.Absent absent -> out.println("GPUs: none; " + absent.reason());
            case GpuListing.Found found -> {
                out.println("GPUs:");
                found.gpus().forEach(this::gpu);
            }
        }
        out.println();
    }

    private void gpu(GpuListing.Gpu listing) {
        CudaDescription gpu = listing.what();
        field(1, "GPU:" + gpu.ordinal(), gpu.name());
        field(2, "uuid", gpu.uuid());
        field(2, "pci_address", gpu.pciAddress());
        field(2, "memory", "%d (%.1f GiB)".formatted(gpu.memoryBytes(), gpu.memoryBytes() / GIB));
        for (GpuListing.Reach reach : listing.reaches()) {
            field(2, "GPUDirect " + reach.device(), reach.answer());
        }
    }

    private void field(int level, String name, Object value) {
        String indent = "    ".repeat(level);
        out.println(indent + "%-24s".formatted(name + ":") + value);
    }

    private void taken(ChoiceExplanation choice) {
        ChoiceExplanation.Taken taken = choice.taken();
        if (taken == null) {
            out.println("taken: nothing; " + choice.failure());
            return;
        }
        out.println("taken: " + taken);
        line(taken.device().toString());
        for (PortCandidate port : taken.device().ports()) {
            if (port.verdict() == Verdict.TAKEN) {
                line("port " + port.number() + ": " + port.reason());
                port.gids().stream()
                        .filter(gid -> gid.verdict() == Verdict.TAKEN)
                        .forEach(gid -> line("GID " + gid.entry().index() + ": " + gid.reason()));
            }
        }
    }

    private void notTaken(ChoiceExplanation choice) {
        out.println("not taken:");
        for (ProviderCandidate provider : choice.providers()) {
            if (provider.obstacle() != null) {
                line(provider.name() + " has no device: " + provider.obstacle());
            }
            provider.devices().forEach(this::notTaken);
        }
    }

    private void notTaken(DeviceCandidate device) {
        if (device.verdict() != Verdict.TAKEN) {
            line(device.toString());
            return;
        }
        for (PortCandidate port : device.ports()) {
            String place = "port " + port.number() + " of " + device.name();
            if (port.verdict() != Verdict.TAKEN) {
                line(place + ": " + port.reason());
            }
            for (GidCandidate gid : port.gids()) {
                if (gid.verdict() != Verdict.TAKEN) {
                    line(gid.entry() + " of " + place + ": " + gid.reason());
                }
            }
        }
    }

    private void line(String text) {
        out.println("    " + text);
    }
}
