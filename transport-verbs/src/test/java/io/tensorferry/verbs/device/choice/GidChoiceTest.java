package io.tensorferry.verbs.device.choice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.LogCapture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class GidChoiceTest {
    private static final Gid LINK_LOCAL = new Gid(0xFE80_0000_0000_0000L, 0x0200_00FF_FE00_0001L);
    private static final Gid SITE_LOCAL = new Gid(0xFEC0_0000_0000_0000L, 0x0200_00FF_FE00_0001L);
    private static final Gid IPV4_LINK_LOCAL = Gid.ofIpv4(0xA9FE0001);
    private static final Gid UNIQUE_LOCAL = new Gid(0xFD02_0000_0000_0000L, 0x0200_00FF_FE00_0001L);
    private static final Gid GLOBAL = new Gid(0x2001_0DB8_0000_0000L, 0x0200_00FF_FE00_0001L);
    private static final String ELSEWHERE = "its network device eth5 is not in this network namespace";
    private static final Gid FIRST = Gid.ofIpv4(0x0A000001);
    private static final Gid SECOND = Gid.ofIpv4(0x0A000002);

    private static int chosenIndex(RdmaConfig config, FakeDevice device) {
        return DeviceChoice.choose(config, List.of(new FakeProvider("libibverbs", device)))
                .gid()
                .index();
    }

    private static int chosenIndex(FakeDevice device) {
        return chosenIndex(RdmaConfig.builder().build(), device);
    }

    private static List<String> reasons(FakeDevice device) {
        return GidChoice.candidates(device, 1, device.port(1), null).stream()
                .map(candidate -> candidate.entry().index() + " " + candidate.verdict() + " " + candidate.reason())
                .toList();
    }

    @Test
    void prefersTheFirstRoceV2EntryWithAnIpv4AddressAndLogsAllOfThem() {
        var device = new FakeDevice("mlx5_0")
                .gids(
                        new GidEntry(0, LINK_LOCAL, GidEntry.Type.ROCE_V1),
                        new GidEntry(1, LINK_LOCAL, GidEntry.Type.ROCE_V2),
                        new GidEntry(2, FIRST, GidEntry.Type.ROCE_V1),
                        new GidEntry(3, FIRST, GidEntry.Type.ROCE_V2),
                        new GidEntry(4, SECOND, GidEntry.Type.ROCE_V2));
        try (var log = new LogCapture(DeviceChoice.class)) {
            assertThat(chosenIndex(device)).isEqualTo(3);
            assertThat(log.messages(Level.INFO))
                    .containsExactly(
                            "RDMA device: mlx5_0 (libibverbs), port 1, GID 3 ::ffff:10.0.0.1 (RoCE v2), MTU 1024;"
                                    + " it is the first usable device",
                            "port 1 of mlx5_0 has 2 GIDs with an IPv4 address: [GID 3 ::ffff:10.0.0.1 (RoCE v2),"
                                    + " GID 4 ::ffff:10.0.0.2 (RoCE v2)]; set RDMA_GID_INDEX to choose another than 3");
        }
        assertThat(reasons(device))
                .containsExactly(
                        "0 PASSED_OVER it is link-local",
                        "1 PASSED_OVER it is link-local",
                        "2 PASSED_OVER it is RoCE v1, not RoCE v2",
                        "3 TAKEN the first RoCE v2 entry with an IPv4 address",
                        "4 PASSED_OVER entry 3 comes first");
    }

    @Test
    void withOneCandidateThereIsNothingMoreToSay() {
        try (var log = new LogCapture(DeviceChoice.class)) {
            assertThat(chosenIndex(new FakeDevice("rxe0"))).isZero();
            assertThat(log.messages(Level.INFO)).singleElement().asString().contains("GID 0 ::ffff:10.0.0.1");
        }
    }

    /// In rising order of preference; of two equal entries the first is taken.
    @Test
    void ordersEntriesByScopeThenTypeThenFamily() {
        var entries = new ArrayList<GidEntry>();
        int index = 0;
        for (Gid gid : List.of(LINK_LOCAL, IPV4_LINK_LOCAL, SITE_LOCAL)) {
            entries.add(new GidEntry(index++, gid, GidEntry.Type.ROCE_V1));
        }
        for (Gid gid : List.of(LINK_LOCAL, IPV4_LINK_LOCAL, SITE_LOCAL)) {
            entries.add(new GidEntry(index++, gid, GidEntry.Type.ROCE_V2));
        }
        for (GidEntry.Type type : List.of(GidEntry.Type.ROCE_V1, GidEntry.Type.ROCE_V2)) {
            for (Gid gid : List.of(UNIQUE_LOCAL, GLOBAL, FIRST, SECOND)) {
                entries.add(new GidEntry(index++, gid, type));
            }
        }
        var taken = new ArrayList<Integer>();
        while (!entries.isEmpty()) {
            var device = new FakeDevice("mlx5_0").gids(entries.toArray(GidEntry[]::new));
            GidEntry best = GidChoice.taken(GidChoice.candidates(device, 1, device.port(1), null))
                    .orElseThrow();
            taken.add(best.index());
            entries.remove(best);
        }
        assertThat(taken).containsExactly(12, 13, 10, 11, 8, 9, 6, 7, 3, 4, 5, 0, 1, 2);
    }

    @Test
    void aLinkLocalAddressIsTakenWhereThereIsNoOther() {
        var device = new FakeDevice("mlx5_0")
                .gids(
                        FakeDevice.unused(0),
                        new GidEntry(1, LINK_LOCAL, GidEntry.Type.ROCE_V1),
                        new GidEntry(2, LINK_LOCAL, GidEntry.Type.ROCE_V2),
                        new GidEntry(3, new Gid(LINK_LOCAL.subnetPrefix(), 0), GidEntry.Type.ROCE_V2),
                        new GidEntry(4, new Gid(0, 1), GidEntry.Type.ROCE_V2));
        assertThat(chosenIndex(device)).isEqualTo(2);
        assertThat(reasons(device))
                .containsExactly(
                        "1 PASSED_OVER it is RoCE v1, not RoCE v2",
                        "2 TAKEN the first RoCE v2 entry; all entries are link-local",
                        "3 REFUSED it has no interface identifier",
                        "4 REFUSED it is the loopback address");
    }

    /// The table of an interface with only IPv6, where the link-local entries come first.
    @Test
    void aLinkLocalAddressDoesNotWinOverAUniqueLocalOrGlobalOne() {
        for (Gid routable : List.of(UNIQUE_LOCAL, GLOBAL)) {
            var device = new FakeDevice("mlx5_0")
                    .gids(
                            new GidEntry(0, LINK_LOCAL, GidEntry.Type.ROCE_V1),
                            new GidEntry(1, LINK_LOCAL, GidEntry.Type.ROCE_V2),
                            new GidEntry(2, routable, GidEntry.Type.ROCE_V1),
                            new GidEntry(3, routable, GidEntry.Type.ROCE_V2));
            assertThat(chosenIndex(device)).isEqualTo(3);
            assertThat(reasons(device))
                    .containsExactly(
                            "0 PASSED_OVER it is link-local",
                            "1 PASSED_OVER it is link-local",
                            "2 PASSED_OVER it is RoCE v1, not RoCE v2",
                            "3 TAKEN the first RoCE v2 entry with a routable IPv6 address; none has an IPv4 address");
        }
    }

    @Test
    void anEntryWhoseNetworkDeviceIsElsewhereIsNoCandidate() {
        var device = new FakeDevice("mlx5_0")
                .gids(
                        new GidEntry(0, FIRST, GidEntry.Type.ROCE_V2),
                        new GidEntry(1, SECOND, GidEntry.Type.ROCE_V2),
                        new GidEntry(2, LINK_LOCAL, GidEntry.Type.ROCE_V2))
                .gidObstacle(0, ELSEWHERE);
        assertThat(chosenIndex(device)).isEqualTo(1);
        assertThat(reasons(device).getFirst()).isEqualTo("0 REFUSED " + ELSEWHERE);
        // The user may still name it.
        assertThat(GidChoice.candidates(device, 1, device.port(1), 0))
                .first()
                .extracting(GidCandidate::verdict, GidCandidate::reason)
                .containsExactly(Verdict.TAKEN, "gidIndex (RDMA_GID_INDEX) names it, though " + ELSEWHERE);
        device.gidObstacle(1, ELSEWHERE);
        assertThat(chosenIndex(device)).isEqualTo(2);
        device.gidObstacle(2, ELSEWHERE);
        assertThatThrownBy(() -> chosenIndex(device))
                .hasMessageContaining("mlx5_0")
                .hasMessageContaining(
                        "has no GID on port 1 that can be used (GID 0 ::ffff:10.0.0.1 (RoCE v2): " + ELSEWHERE);
    }

    @Test
    void takesEntryZeroOnInfiniBand() {
        var device = new FakeDevice("mlx5_0")
                .infiniBand()
                .gids(
                        new GidEntry(0, LINK_LOCAL, GidEntry.Type.INFINIBAND),
                        new GidEntry(1, FIRST, GidEntry.Type.ROCE_V2));
        assertThat(chosenIndex(device)).isZero();
        assertThat(reasons(device))
                .containsExactly(
                        "0 TAKEN on InfiniBand the address is entry 0",
                        "1 REFUSED on InfiniBand the address is entry 0");
    }

    @Test
    void takesTheGivenEntryIfItIsInUse() {
        var device = new FakeDevice("mlx5_0")
                .gids(
                        new GidEntry(0, FIRST, GidEntry.Type.ROCE_V2),
                        new GidEntry(1, LINK_LOCAL, GidEntry.Type.ROCE_V1),
                        FakeDevice.unused(2));
        assertThat(chosenIndex(RdmaConfig.builder().gidIndex(1).build(), device))
                .isEqualTo(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> chosenIndex(RdmaConfig.builder().gidIndex(2).build(), device))
                .withMessage(
                        "gidIndex (RDMA_GID_INDEX) is 2; accepted: an entry that is in use, and this one of port 1 of"
                                + " mlx5_0 is zero");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> chosenIndex(RdmaConfig.builder().gidIndex(3).build(), device))
                .withMessageContaining("accepted: 0 to 2");
    }
}
