package io.tensorferry.it.soak;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The kernel's count of what is open on a device, in whatever process, by iproute2's `rdma`.
final class RdmaResources {
    private RdmaResources() {}

    /// @param device null or the software device for nothing
    static SortedMap<String, Integer> of(@Nullable String device) {
        if (device == null || device.equals(SoftwareProvider.DEVICE)) {
            return Collections.emptySortedMap();
        }
        String text = show();
        JsonArray devices = JsonParser.parseString(text).getAsJsonArray();
        for (JsonElement element : devices) {
            JsonObject counts = element.getAsJsonObject();
            if (counts.get("ifname").getAsString().equals(device)) {
                return counts(counts);
            }
        }
        throw new IllegalStateException("rdma resource show knows no device " + device + ": " + text);
    }

    private static SortedMap<String, Integer> counts(JsonObject counts) {
        var objects = new TreeMap<String, Integer>();
        counts.entrySet().stream()
                .filter(entry -> !entry.getKey().startsWith("if"))
                .forEach(entry -> objects.put(entry.getKey(), entry.getValue().getAsInt()));
        return objects;
    }

    private static String show() {
        try {
            Process process = new ProcessBuilder("rdma", "-j", "resource", "show")
                    .redirectErrorStream(true)
                    .start();
            try (var output = process.inputReader(StandardCharsets.UTF_8)) {
                return output.readAllAsString();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("iproute2's rdma is needed to count", e);
        }
    }
}
