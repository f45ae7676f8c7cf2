package io.tensorferry.verbs.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.Level;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class GidChoiceTest {
    private static final Gid LINK_LOCAL = new Gid(0xFE80_0000_0000_0000L, 0x0200_00FF_FE00_0001L);
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
                                    + " GID 4 ::ffff:10.0.0.2 (RoCE v2)]; RDMA_GID_INDEX chooses another than 3");
        }
        assertThat(reasons(device))
                .containsExactly(
                        "0 PASSED_OVER it is RoCE v1, not RoCE v2",
                        "1 PASSED_OVER it has no IPv4 address",
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

    @Test
    void withoutAnIpv4AddressTakesTheFirstThatIsInUse() {
        var device = new FakeDevice("mlx5_0")
                .gids(
                        FakeDevice.unused(0),
                        new GidEntry(1, LINK_LOCAL, GidEntry.Type.ROCE_V1),
                        new GidEntry(2, FIRST, GidEntry.Type.ROCE_V1));
        assertThat(chosenIndex(device)).isEqualTo(1);
        assertThat(reasons(device))
                .containsExactly("1 TAKEN the first in use; none is RoCE v2", "2 PASSED_OVER entry 1 comes first");
    }

    @Test
    void withoutAnIpv4AddressPrefersRoceV2() {
        var device = new FakeDevice("mlx5_0")
                .gids(
                        new GidEntry(0, LINK_LOCAL, GidEntry.Type.ROCE_V1),
                        new GidEntry(1, LINK_LOCAL, GidEntry.Type.ROCE_V2),
                        new GidEntry(2, new Gid(LINK_LOCAL.subnetPrefix(), 0), GidEntry.Type.ROCE_V2));
        assertThat(chosenIndex(device)).isEqualTo(1);
        assertThat(reasons(device))
                .containsExactly(
                        "0 PASSED_OVER it is RoCE v1, not RoCE v2",
                        "1 TAKEN the first RoCE v2 entry; none has an IPv4 address",
                        "2 REFUSED it has no interface identifier");
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
