package io.tensorferry.grpc.setup;

import io.tensorferry.proto.Channel;
import io.tensorferry.proto.ConnectionParameters;
import io.tensorferry.proto.MemoryRegion;
import io.tensorferry.verbs.channel.setup.RemoteRegion;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.QueuePairAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Valid and invalid offers of channels for tests.
public final class Offers {
    private Offers() {}

    public static io.tensorferry.verbs.channel.setup.ConnectionParameters sound(String hostName) {
        var gid = Gid.ofIpv4(0x7F00_0001);
        return new io.tensorferry.verbs.channel.setup.ConnectionParameters(
                io.tensorferry.verbs.channel.setup.ConnectionParameters.PROTOCOL_VERSION,
                hostName,
                -7,
                9,
                3,
                List.of(new QueuePairAddress(0xFFFF, 0xFF_FFFF, 1, gid), new QueuePairAddress(0, 2, 0xFF_FFFF, gid)),
                new RemoteRegion(0xFFFF_8000_0000_0000L, 0x8000_0001),
                64,
                4096,
                1024,
                4096,
                1L << 31,
                1 << 20,
                16,
                255,
                "roce");
    }

    /// Sound offers with one value wrong each.
    static List<ConnectionParameters> wrong(String hostName) {
        List<Consumer<ConnectionParameters.Builder>> faults = List.of(
                offer -> offer.setProtocolVersion(0),
                offer -> offer.setProtocolVersion(-1),
                offer -> offer.setHostName(""),
                offer -> offer.setHostName("x".repeat(513)),
                offer -> offer.setIncarnation(0),
                offer -> offer.setConnectionId(0),
                offer -> offer.setAttempt(0),
                offer -> offer.setAttempt(-1),
                ConnectionParameters.Builder::clearFabric,
                offer -> offer.setFabric("x".repeat(33)),
                ConnectionParameters.Builder::clearChannel,
                offer -> offer.removeChannel(1),
                offer -> {
                    for (int i = 0; i < 100; i++) {
                        offer.addChannel(Channel.getDefaultInstance());
                    }
                },
                offer -> offer.getChannelBuilder(0).setLid(0x1_0000),
                offer -> offer.getChannelBuilder(0).setLid(-1),
                offer -> offer.getChannelBuilder(0).setQpn(0x100_0000),
                offer -> offer.getChannelBuilder(1).setPsn(-1),
                ConnectionParameters.Builder::clearMr,
                offer -> offer.removeMr(0),
                offer -> offer.addMr(MemoryRegion.getDefaultInstance()),
                ConnectionParameters.Builder::clearRing,
                offer -> offer.getRingBuilder().setSlots(63),
                offer -> offer.getRingBuilder().setSlots(8),
                offer -> offer.getRingBuilder().setSlots(1 << 20),
                offer -> offer.getRingBuilder().setSlots(-1),
                offer -> offer.getRingBuilder().setSlotBytes(100),
                offer -> offer.getRingBuilder().setSlotBytes(-64),
                offer -> offer.setReceiveDepth(0),
                offer -> offer.setReceiveDepth(-1),
                offer -> offer.setMtu(1500),
                offer -> offer.setMtu(8192),
                offer -> offer.setMaxMessageBytes(0),
                offer -> offer.setMaxMessageBytes(-1),
                ConnectionParameters.Builder::clearStripeBytes,
                offer -> offer.setStripeBytes(4095),
                offer -> offer.setStripeBytes(-1),
                offer -> offer.setReadsAtOnce(256),
                offer -> offer.setReadsAtOnce(-1),
                offer -> offer.setPiecesAtOnce(256),
                offer -> offer.setPiecesAtOnce(-1));
        var offers = new ArrayList<ConnectionParameters>();
        for (Consumer<ConnectionParameters.Builder> fault : faults) {
            ConnectionParameters.Builder offer = ConnectionParametersMapping.toProto(sound(hostName)).toBuilder();
            fault.accept(offer);
            offers.add(offer.build());
        }
        return offers;
    }
}
