package io.tensorferry.verbs.device.choice;

import io.tensorferry.verbs.config.RdmaSetting;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.PortAttributes.LinkLayer;
import io.tensorferry.verbs.device.VerbsDevice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Chooses the entry of a port's GID table that is the local address. This class holds the whole policy; its tests are
/// in `GidChoiceTest`.
///
/// On InfiniBand the choice is entry 0, whose default prefix is link-local by the standard. On Ethernet it is the first
/// entry of the best [Rank] among those that this process can use:
///
/// - An entry whose network device is in another network namespace is no candidate. A container sees the whole table of
///   a device that it shares with its host, but the kernel resolves no route for such an entry.
/// - An entry without an interface identifier is no candidate, and neither is IPv6's loopback address.
/// - Routable addresses are preferred to link-local ones, because each interface has a link-local address, and two
///   hosts that are connected through routers cannot use it. A link-local address remains a candidate: two hosts on one
///   link may have no other.
/// - RoCE v2 is preferred to v1, whose packets no router forwards, and IPv4 to IPv6, because administrators configure
///   the index of an IPv4 address on both sides.
final class GidChoice {
    /// Best first.
    private enum Rank {
        V2_IPV4("RoCE v2 entry with an IPv4 address"),
        V2_IPV6("RoCE v2 entry with a routable IPv6 address; none has an IPv4 address"),
        V1_IPV4("RoCE v1 entry with an IPv4 address; no routable one is RoCE v2"),
        V1_IPV6("RoCE v1 entry with a routable IPv6 address; no routable one is RoCE v2, none has an IPv4 address"),
        V2_LINK_LOCAL("RoCE v2 entry; all entries are link-local"),
        V1_LINK_LOCAL("entry in use; all entries are link-local, none is RoCE v2");

        private final String text;

        Rank(String text) {
            this.text = text;
        }

        static Rank of(GidEntry entry) {
            boolean v2 = entry.type() == GidEntry.Type.ROCE_V2;
            if (entry.gid().isLinkLocal()) {
                return v2 ? V2_LINK_LOCAL : V1_LINK_LOCAL;
            }
            if (entry.gid().isIpv4Mapped()) {
                return v2 ? V2_IPV4 : V1_IPV4;
            }
            return v2 ? V2_IPV6 : V1_IPV6;
        }
    }

    private final VerbsDevice device;
    private final int portNumber;
    private final PortAttributes port;

    private GidChoice(VerbsDevice device, int portNumber, PortAttributes port) {
        this.device = device;
        this.portNumber = portNumber;
        this.port = port;
    }

    /// Returns every entry that is in use, in table order, with at most one of them taken.
    ///
    /// @param wanted the index that the configuration names, or null to choose an entry
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
        var choice = new GidChoice(device, portNumber, port);
        return wanted == null ? choice.choose(used) : choice.named(used, wanted);
    }

    /// Chooses an entry again while the device is in use, because the first choice has disappeared.
    static Optional<GidEntry> again(VerbsDevice device, int portNumber, PortAttributes port, @Nullable Integer wanted) {
        if (wanted == null) {
            return taken(candidates(device, portNumber, port, null));
        }
        return Optional.of(wanted)
                .filter(index -> index < port.gidTableLength())
                .map(index -> device.gid(portNumber, index))
                .filter(entry -> !entry.gid().isZero());
    }

    /// Returns the entry that was taken.
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

    /// An entry named by the user is taken despite obstacles, which the reason then mentions.
    private List<GidCandidate> named(List<GidEntry> used, int wanted) {
        return used.stream()
                .map(entry -> entry.index() == wanted
                        ? new GidCandidate(entry, Verdict.TAKEN, RdmaSetting.GID_INDEX + " names it" + remark(entry))
                        : new GidCandidate(entry, Verdict.PASSED_OVER, RdmaSetting.GID_INDEX + " names " + wanted))
                .toList();
    }

    private String remark(GidEntry entry) {
        String obstacle = isInfiniBand() ? null : obstacle(entry);
        return obstacle == null ? "" : ", though " + obstacle;
    }

    private List<GidCandidate> choose(List<GidEntry> used) {
        Map<Integer, String> obstacles = new HashMap<>();
        for (GidEntry entry : used) {
            String obstacle = obstacle(entry);
            if (obstacle != null) {
                obstacles.put(entry.index(), obstacle);
            }
        }
        // The order is stable: of equal entries, the first in the table wins.
        GidEntry best = used.stream()
                .filter(entry -> !obstacles.containsKey(entry.index()))
                .min(Comparator.comparing(Rank::of))
                .orElse(null);
        var candidates = new ArrayList<GidCandidate>();
        for (GidEntry entry : used) {
            String obstacle = obstacles.get(entry.index());
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
        if (isInfiniBand() && entry.index() != 0) {
            return "on InfiniBand the address is entry 0";
        }
        if (entry.gid().interfaceId() == 0) {
            return "it has no interface identifier";
        }
        if (entry.gid().isLoopback()) {
            return "it is the loopback address";
        }
        return isInfiniBand() ? null : device.gidObstacle(portNumber, entry.index());
    }

    private boolean isInfiniBand() {
        return port.linkLayer() == LinkLayer.INFINIBAND;
    }

    private String whyTaken(GidEntry entry) {
        return isInfiniBand() ? "on InfiniBand the address is entry 0" : "the first " + Rank.of(entry).text;
    }

    private static String whyPassedOver(GidEntry entry, GidEntry best) {
        if (Rank.of(entry) == Rank.of(best)) {
            return "entry " + best.index() + " comes first";
        }
        if (entry.gid().isLinkLocal() && !best.gid().isLinkLocal()) {
            return "it is link-local";
        }
        return entry.type() == best.type()
                ? "it has no IPv4 address"
                : "it is " + entry.type() + ", not " + best.type();
    }
}
