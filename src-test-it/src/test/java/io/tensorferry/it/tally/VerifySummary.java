package io.tensorferry.it.tally;

import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.it.tally.Tally.Count;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Prints what ran on which device, in one line. Ends with status 0 whatever it finds.
///
/// Arguments: which build this is, the directory with this and earlier builds' tallies.
final class VerifySummary {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    private VerifySummary() {}

    public static void main(String[] arguments) {
        System.out.println(line(counts(arguments[0], Path.of(arguments[1])), realDevices()));
    }

    static List<Count> counts(String build, Path directory) {
        var counts = new ArrayList<Count>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.sorted().toList()) {
                Tally tally = Tally.read(file);
                if (tally.build().equals(build)) {
                    counts.addAll(tally.counts());
                }
            }
        } catch (IOException _) {
            // No tests have run: there is no such directory.
        }
        return Tally.sum(counts);
    }

    private static List<String> realDevices() {
        try (Stream<Path> devices = Files.list(DEVICES)) {
            return devices.map(device -> device.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (IOException _) {
            return List.of();
        }
    }

    static String line(List<Count> counts, List<String> realDevices) {
        if (counts.isEmpty()) {
            return "TensorFerry: no tests of a device were run";
        }
        var parts = new ArrayList<String>();
        part("soft0", On.SOFTWARE, counts).forEach(parts::add);
        part("rxe0 (Soft-RoCE in the guest)", On.GUEST, counts).forEach(parts::add);
        part("CUDA", On.CUDA, counts).forEach(parts::add);
        List<String> named = part("", On.NAMED, counts);
        if (named.isEmpty()) {
            parts.add("real RDMA device: "
                    + (realDevices.isEmpty() ? "none found" : String.join(", ", realDevices) + " not tested")
                    + " (set -Drdma.device=NAME)");
        } else {
            parts.addAll(named);
        }
        return "TensorFerry: " + String.join("; ", parts);
    }

    /// Nothing, or what ran on one device. Kinds that were skipped as a whole are told by their reason alone.
    private static List<String> part(String label, On on, List<Count> counts) {
        List<Count> here = counts.stream()
                .filter(count -> count.on() == on)
                .sorted(Comparator.comparing(Count::kind))
                .toList();
        if (here.isEmpty()) {
            return List.of();
        }
        String device = on == On.NAMED ? Objects.requireNonNull(here.getFirst().device()) : label;
        String ran = here.stream()
                .filter(count -> count.passed() + count.failed() > 0)
                .map(count -> count.passed() + count.failed() + " " + count.kind()
                        + (count.failed() > 0 ? " (" + count.failed() + " FAILED)" : ""))
                .collect(Collectors.joining(", "));
        var text = new StringBuilder(device).append(": ").append(ran.isEmpty() ? "" : ran + " tests");
        Set<String> reasons = new LinkedHashSet<>();
        String skipped = here.stream()
                .filter(count -> count.skipped() > 0)
                .peek(count -> count.reasons().forEach(reason -> reasons.add(firstLine(reason))))
                .map(count -> count.passed() + count.failed() > 0 ? count.skipped() + " " + count.kind() : count.kind())
                .collect(Collectors.joining(", "));
        if (!skipped.isEmpty()) {
            text.append(ran.isEmpty() ? "" : ", ")
                    .append(skipped)
                    .append(" skipped: ")
                    .append(String.join("; ", reasons));
        }
        return List.of(text.toString());
    }

    private static String firstLine(String reason) {
        // JUnit's words before ours.
        return reason.replaceFirst("^Assumption failed: ", "")
                .lines()
                .findFirst()
                .orElse("");
    }
}
