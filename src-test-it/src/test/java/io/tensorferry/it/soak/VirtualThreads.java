package io.tensorferry.it.soak;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/// The virtual threads of this process, as the JVM dumps them.
final class VirtualThreads {
    private VirtualThreads() {}

    static int count() {
        int count = 0;
        for (JsonElement container : dump().getAsJsonObject("threadDump").getAsJsonArray("threadContainers")) {
            for (JsonElement thread : container.getAsJsonObject().getAsJsonArray("threads")) {
                count += thread.getAsJsonObject().has("virtual") ? 1 : 0;
            }
        }
        return count;
    }

    private static JsonObject dump() {
        try {
            Path directory = Files.createTempDirectory("threads");
            Path file = directory.resolve("dump.json");
            try {
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                        .dumpThreads(file.toString(), ThreadDumpFormat.JSON);
                return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
            } finally {
                Files.deleteIfExists(file);
                Files.delete(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
