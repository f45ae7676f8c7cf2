package io.tensorferry.cli.devices;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.tensorferry.cli.console.Json;
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
import java.util.List;
import java.util.Locale;

/// Prints the devices, the GPUs and the chosen device for scripts. Field names are those of `ibv_devinfo` where it has
/// them.
final class DevicesJson {
    private DevicesJson() {}

    static JsonObject of(List<DeviceListing> devices, GpuListing gpus, ChoiceExplanation choice) {
        var object = new JsonObject();
        object.add("devices", Json.array(devices, DevicesJson::device));
        object.add("gpus", gpus(gpus));
        object.add("taken", taken(choice));
        object.addProperty("failure", choice.failure());
        object.add("providers", Json.array(choice.providers(), DevicesJson::provider));
        return object;
    }

    private static JsonObject device(DeviceListing listing) {
        var object = new JsonObject();
        object.addProperty("hca_id", listing.name());
        object.addProperty("provider", listing.provider());
        switch (listing) {
            case DeviceListing.Unread unreadable -> object.addProperty("failure", unreadable.failure());
            case DeviceListing.Read readable -> {
                description(object, readable.description());
                limits(object, readable.attributes());
                object.add("ports", Json.array(readable.ports(), DevicesJson::port));
            }
        }
        return object;
    }

    private static void description(JsonObject object, DeviceDescription what) {
        object.addProperty("transport", lower(what.transport()));
        object.addProperty("fw_ver", what.firmwareVersion());
        object.addProperty("node_guid", DeviceTerms.guid(what.nodeGuid()));
        object.addProperty("sys_image_guid", DeviceTerms.guid(what.systemImageGuid()));
        object.addProperty("vendor_id", what.vendorId());
        object.addProperty("vendor_part_id", what.vendorPartId());
        object.addProperty("hw_ver", what.hardwareVersion());
    }

    private static void limits(JsonObject object, DeviceAttributes limits) {
        object.addProperty("phys_port_cnt", limits.portCount());
        object.addProperty("max_qp", limits.maxQueuePairs());
        object.addProperty("max_qp_wr", limits.maxWorkRequests());
        object.addProperty("max_cqe", limits.maxCompletionQueueEntries());
        object.addProperty("max_mr", limits.maxMemoryRegions());
        object.addProperty("max_mr_size", Long.toUnsignedString(limits.maxMemoryRegionBytes()));
        object.addProperty("max_qp_rd_atom", limits.maxReadsAsTarget());
        object.addProperty("max_qp_init_rd_atom", limits.maxReadsAsInitiator());
        object.addProperty("write_with_immediate", limits.writeWithImmediate());
    }

    private static JsonObject port(DeviceListing.Port listing) {
        PortAttributes port = listing.attributes();
        var object = new JsonObject();
        object.addProperty("port", listing.number());
        object.addProperty("state", lower(port.state()));
        object.addProperty("max_mtu", port.maxMtu());
        object.addProperty("active_mtu", port.activeMtu());
        object.addProperty("sm_lid", port.subnetManagerLid());
        object.addProperty("port_lid", port.lid());
        object.addProperty("port_lmc", port.lidMaskControl());
        object.addProperty("link_layer", lower(port.linkLayer()));
        object.addProperty("max_msg_sz", port.maxMessageBytes());
        object.addProperty("pkey_tbl_len", port.pkeyTableLength());
        object.addProperty("gid_tbl_len", port.gidTableLength());
        object.add("gids", Json.array(listing.gids(), DevicesJson::gid));
        return object;
    }

    private static JsonObject gid(GidEntry entry) {
        var object = new JsonObject();
        object.addProperty("index", entry.index());
        object.addProperty("gid", entry.gid().toString());
        object.addProperty("type", lower(entry.type()));
        return object;
    }

    private static JsonObject gpus(GpuListing listing) {
        var object = new JsonObject();
        switch (listing) {
            case GpuListing.Absent absent -> {
                object.addProperty("obstacle", absent.reason());
                object.add("devices", new JsonArray());
            }
            case GpuListing.Found found -> {
                object.add("obstacle", JsonNull.INSTANCE);
                object.add("devices", Json.array(found.gpus(), DevicesJson::gpu));
            }
        }
        return object;
    }

    private static JsonObject gpu(GpuListing.Gpu listing) {
        CudaDescription gpu = listing.what();
        var object = new JsonObject();
        object.addProperty("ordinal", gpu.ordinal());
        object.addProperty("name", gpu.name());
        object.addProperty("uuid", gpu.uuid());
        object.addProperty("pci_address", gpu.pciAddress());
        object.addProperty("memory_bytes", gpu.memoryBytes());
        object.add("gpu_direct", Json.array(listing.reaches(), DevicesJson::reach));
        return object;
    }

    private static JsonObject reach(GpuListing.Reach reach) {
        var object = new JsonObject();
        object.addProperty("hca_id", reach.device());
        object.addProperty("answer", reach.answer());
        return object;
    }

    private static JsonElement taken(ChoiceExplanation choice) {
        ChoiceExplanation.Taken taken = choice.taken();
        if (taken == null) {
            return JsonNull.INSTANCE;
        }
        var object = new JsonObject();
        object.addProperty("hca_id", taken.device().name());
        object.addProperty("provider", taken.device().provider());
        object.addProperty("port", taken.port());
        object.add("gid", gid(taken.gid()));
        object.addProperty("mtu", taken.mtu());
        return object;
    }

    private static JsonObject provider(ProviderCandidate provider) {
        var object = new JsonObject();
        object.addProperty("name", provider.name());
        object.addProperty("obstacle", provider.obstacle());
        object.add("candidates", Json.array(provider.devices(), DevicesJson::candidate));
        return object;
    }

    private static JsonObject candidate(DeviceCandidate device) {
        var object = new JsonObject();
        object.addProperty("hca_id", device.name());
        object.addProperty("verdict", lower(device.verdict()));
        object.addProperty("reason", device.reason());
        object.add("ports", Json.array(device.ports(), DevicesJson::candidate));
        return object;
    }

    private static JsonObject candidate(PortCandidate port) {
        var object = new JsonObject();
        object.addProperty("port", port.number());
        object.addProperty("verdict", lower(port.verdict()));
        object.addProperty("reason", port.reason());
        object.add("gids", Json.array(port.gids(), DevicesJson::candidate));
        return object;
    }

    private static JsonObject candidate(GidCandidate gid) {
        JsonObject object = gid(gid.entry());
        object.addProperty("verdict", lower(gid.verdict()));
        object.addProperty("reason", gid.reason());
        return object;
    }

    /// For example `roce_v2`.
    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
