package io.tensorferry.it.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// What Soft-RoCE and the network interface below it have counted on one host.
///
/// @param sentPackets packets of RDMA
/// @param sentBytes in them
/// @param repeated times that a requester began again from a packet that it had sent before
/// @param lost packets of any kind that the interface was told to drop
record PathCounters(long sentPackets, long sentBytes, long repeated, long lost) {
    private static final String COUNTERS = "/sys/class/infiniband/*/ports/1/hw_counters/";
    private static final Pattern DROPPED = Pattern.compile("dropped (\\d+)");

    static PathCounters of(Place host) {
        List<String> lines = run(
                host,
                "cd " + COUNTERS + " && cat sent_pkts sent_bytes completer_retry_err && tc -s qdisc show dev eth"
                        + (host.number() + 1));
        long dropped = 0;
        for (String line : lines) {
            var matcher = DROPPED.matcher(line);
            dropped += matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
        }
        return new PathCounters(
                Long.parseLong(lines.get(0)), Long.parseLong(lines.get(1)), Long.parseLong(lines.get(2)), dropped);
    }

    private static List<String> run(Place host, String script) {
        var command = new ArrayList<>(host.prefix());
        command.addAll(List.of("bash", "-c", script));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            try (var output = process.inputReader(StandardCharsets.UTF_8)) {
                return output.lines().map(String::strip).toList();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    PathCounters minus(PathCounters before) {
        return new PathCounters(
                sentPackets - before.sentPackets,
                sentBytes - before.sentBytes,
                repeated - before.repeated,
                lost - before.lost);
    }

    double meanPacketBytes() {
        return (double) sentBytes / sentPackets;
    }
}
