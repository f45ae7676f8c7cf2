package io.tensorferry.verbs.device;

import io.tensorferry.verbs.device.PortAttributes.LinkLayer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Chooses the entry of a port's GID table that is the own address.
///
/// On InfiniBand that is entry 0. On Ethernet it is the first with an IPv4 address framed as RoCE v2, which routers
/// understand; failing that, the first framed as RoCE v2; failing that, the first in use.
final class GidChoice {
    private final PortAttributes port;

    private GidChoice(PortAttributes port) {
        this.port = port;
    }

    /// Every entry that is in use, in the table's order; one of them is taken, or none where none can be.
    ///
    /// @param wanted the entry that the configuration names, or null to choose one
    /// @throws IllegalArgumentException if there is no such entry, or it is not in use
    static List<GidCandidate> candidates(
            VerbsDevice device, int portNumber, PortAttributes port, @Nullable Integer wanted) {
        List<GidEntry> table = IntStream.range(0, port.gidTableLength())
                .mapToObj(index -> device.gid(portNumber, index))
                .toList();
        if (wanted != null) {
            require(table, wanted, " of port " + portNumber + " of " + device.name());
        }
        List<GidEntry> used =
                table.stream().filter(entry -> !entry.gid().isZero()).toList();
        return wanted == null ? new GidChoice(port).choose(used) : named(used, wanted);
    }

    /// The entry that is chosen while the device is in use, because the one that was chosen at the start is gone.
    static Optional<GidEntry> again(VerbsDevice device, int portNumber, PortAttributes port, @Nullable Integer wanted) {
        if (wanted == null) {
            return taken(candidates(device, portNumber, port, null));
        }
        return Optional.of(wanted)
                .filter(index -> index < port.gidTableLength())
                .map(index -> device.gid(portNumber, index))
                .filter(entry -> !entry.gid().isZero());
    }

    /// The one that was taken.
    static Optional<GidEntry> taken(List<GidCandidate> candidates) {
        return candidates.stream()
                .filter(candidate -> candidate.verdict() == Verdict.TAKEN)
                .map(GidCandidate::entry)
                .findFirst();
    }

    private static void require(List<GidEntry> table, int index, String place) {
        if (index >= table.size()) {
            throw RdmaSetting.GID_INDEX.refused(
                    index, "0 to " + (table.size() - 1) + ", the last entry of the GID table" + place);
        }
        if (table.get(index).gid().isZero()) {
            throw RdmaSetting.GID_INDEX.refused(index, "an entry that is in use, and this one" + place + " is zero");
        }
    }

    private static List<GidCandidate> named(List<GidEntry> used, int wanted) {
        return used.stream()
                .map(entry -> entry.index() == wanted
                        ? new GidCandidate(entry, Verdict.TAKEN, RdmaSetting.GID_INDEX + " names it")
                        : new GidCandidate(entry, Verdict.PASSED_OVER, RdmaSetting.GID_INDEX + " names " + wanted))
                .toList();
    }

    private List<GidCandidate> choose(List<GidEntry> used) {
        // A stable order: of equal entries the first in the table.
        GidEntry best = used.stream()
                .filter(entry -> obstacle(entry) == null)
                .min(Comparator.comparingInt(GidChoice::rank))
                .orElse(null);
        var candidates = new ArrayList<GidCandidate>();
        for (GidEntry entry : used) {
            String obstacle = obstacle(entry);
            if (obstacle != null || best == null) {
                candidates.add(new GidCandidate(entry, Verdict.REFUSED, String.valueOf(obstacle)));
            } else if (entry.index() == best.index()) {
                candidates.add(new GidCandidate(entry, Verdict.TAKEN, whyTaken(entry)));
            } else {
                candidates.add(new GidCandidate(entry, Verdict.PASSED_OVER, whyPassedOver(entry, best)));
            }
        }
        return candidates;
    }

    private @Nullable String obstacle(GidEntry entry) {
        if (entry.gid().interfaceId() == 0) {
            return "it has no interface identifier";
        }
        return isInfiniBand() && entry.index() != 0 ? "on InfiniBand the address is entry 0" : null;
    }

    private boolean isInfiniBand() {
        return port.linkLayer() == LinkLayer.INFINIBAND;
    }

    /// Less is better.
    private static int rank(GidEntry entry) {
        if (entry.type() != GidEntry.Type.ROCE_V2) {
            return 2;
        }
        return entry.gid().isIpv4Mapped() ? 0 : 1;
    }

    private String whyTaken(GidEntry entry) {
        if (isInfiniBand()) {
            return "on InfiniBand the address is entry 0";
        }
        return switch (rank(entry)) {
            case 0 -> "the first RoCE v2 entry with an IPv4 address";
            case 1 -> "the first RoCE v2 entry; none has an IPv4 address";
            default -> "the first in use; none is RoCE v2";
        };
    }

    private static String whyPassedOver(GidEntry entry, GidEntry best) {
        if (rank(entry) == rank(best)) {
            return "entry " + best.index() + " comes first";
        }
        return rank(entry) == 1 ? "it has no IPv4 address" : "it is " + entry.type() + ", not " + best.type();
    }
}
