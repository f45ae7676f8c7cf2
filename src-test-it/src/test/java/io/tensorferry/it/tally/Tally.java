package io.tensorferry.it.tally;

import com.google.gson.Gson;
import io.tensorferry.it.tally.DeviceTests.On;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What one JVM that runs tests has counted, and the file that it leaves.
///
/// @param build which build it belongs to: a file of an earlier one does not count
record Tally(String build, List<Count> counts) {
    private static final Gson GSON = new Gson();

    /// How the tests of one kind on one device have ended.
    ///
    /// @param device its name, where `on` has one: null for the software device and the guest
    /// @param reasons why the skipped ones were skipped, each once
    record Count(
            On on, @Nullable String device, String kind, int passed, int failed, int skipped, List<String> reasons) {
        static Count none(On on, @Nullable String device, String kind) {
            return new Count(on, device, kind, 0, 0, 0, List.of());
        }

        boolean counts(On otherOn, @Nullable String otherDevice, String otherKind) {
            return on == otherOn && Objects.equals(device, otherDevice) && kind.equals(otherKind);
        }

        Count plus(Count other) {
            var all = new ArrayList<>(reasons);
            other.reasons.stream().filter(reason -> !all.contains(reason)).forEach(all::add);
            return new Count(
                    on, device, kind, passed + other.passed, failed + other.failed, skipped + other.skipped, all);
        }
    }

    void write(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, GSON.toJson(this));
    }

    static Tally read(Path file) throws IOException {
        return GSON.fromJson(Files.readString(file), Tally.class);
    }

    /// One count per device and kind, in the order in which they first appear.
    static List<Count> sum(List<Count> counts) {
        var sums = new ArrayList<Count>();
        for (Count count : counts) {
            int index = 0;
            while (index < sums.size() && !sums.get(index).counts(count.on(), count.device(), count.kind())) {
                index++;
            }
            if (index == sums.size()) {
                sums.add(count);
            } else {
                sums.set(index, sums.get(index).plus(count));
            }
        }
        return sums;
    }
}
