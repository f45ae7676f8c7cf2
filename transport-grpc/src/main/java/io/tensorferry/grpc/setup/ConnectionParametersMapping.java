package io.tensorferry.grpc.setup;

import io.tensorferry.proto.Channel;
import io.tensorferry.proto.MemoryRegion;
import io.tensorferry.proto.RingGeometry;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.channel.setup.RemoteRegion;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.QueuePairAddress;
import java.util.List;

/// Converts the parameters of one end of a channel between the verbs layer's form and the protobuf message.
public final class ConnectionParametersMapping {
    private ConnectionParametersMapping() {}

    public static io.tensorferry.proto.ConnectionParameters toProto(ConnectionParameters parameters) {
        var proto = io.tensorferry.proto.ConnectionParameters.newBuilder()
                .setProtocolVersion(parameters.protocolVersion())
                .setHostName(parameters.hostName())
                .setIncarnation(parameters.incarnation())
                .setConnectionId(parameters.connectionId())
                .setAttempt(parameters.attempt())
                .addMr(toProto(parameters.ring()))
                .setRing(RingGeometry.newBuilder()
                        .setSlots(parameters.ringSlots())
                        .setSlotBytes(parameters.slotBytes()))
                .setReceiveDepth(parameters.receiveDepth())
                .setMtu(parameters.mtu())
                .setMaxMessageBytes(parameters.maxMessageBytes())
                .setStripeBytes(parameters.stripeBytes())
                .setReadsAtOnce(parameters.readsAtOnce())
                .setPiecesAtOnce(parameters.piecesAtOnce())
                .setFabric(parameters.fabric());
        parameters.queuePairs().forEach(address -> proto.addChannel(toProto(address)));
        return proto.build();
    }

    private static Channel toProto(QueuePairAddress address) {
        return Channel.newBuilder()
                .setLid(address.lid())
                .setQpn(address.queuePairNumber())
                .setPsn(address.packetSequenceNumber())
                .setSnp(address.gid().subnetPrefix())
                .setIid(address.gid().interfaceId())
                .build();
    }

    private static MemoryRegion toProto(RemoteRegion region) {
        return MemoryRegion.newBuilder()
                .setRemoteAddr(region.address())
                .setRkey(region.remoteKey())
                .build();
    }

    /// Converts and validates the parameters that a peer sent.
    ///
    /// @throws IllegalArgumentException if a value is invalid; the message names the first such value and its range
    static ConnectionParameters fromProto(io.tensorferry.proto.ConnectionParameters proto) {
        if (proto.getMrCount() != 1) {
            throw new IllegalArgumentException(
                    "number of memory regions " + proto.getMrCount() + " must be 1, the ring of messages");
        }
        if (proto.getChannelCount() > ChannelOptions.MAX_LANES + 1) {
            throw new IllegalArgumentException("number of queue pairs " + proto.getChannelCount() + " must be 2.."
                    + (ChannelOptions.MAX_LANES + 1));
        }
        requireDrawn("incarnation", proto.getIncarnation());
        requireDrawn("connection id", proto.getConnectionId());
        if (proto.getAttempt() < 1) {
            throw new IllegalArgumentException(
                    "attempt " + Long.toUnsignedString(proto.getAttempt()) + " must be in 1.." + Long.MAX_VALUE);
        }
        List<QueuePairAddress> queuePairs = proto.getChannelList().stream()
                .map(ConnectionParametersMapping::fromProto)
                .toList();
        var parameters = new ConnectionParameters(
                proto.getProtocolVersion(),
                proto.getHostName(),
                proto.getIncarnation(),
                proto.getConnectionId(),
                proto.getAttempt(),
                queuePairs,
                fromProto(proto.getMr(0)),
                proto.getRing().getSlots(),
                proto.getRing().getSlotBytes(),
                proto.getReceiveDepth(),
                proto.getMtu(),
                proto.getMaxMessageBytes(),
                proto.getStripeBytes(),
                proto.getReadsAtOnce(),
                proto.getPiecesAtOnce(),
                proto.getFabric());
        parameters.validate();
        return parameters;
    }

    private static QueuePairAddress fromProto(Channel channel) {
        return new QueuePairAddress(
                channel.getLid(), channel.getQpn(), channel.getPsn(), new Gid(channel.getSnp(), channel.getIid()));
    }

    private static RemoteRegion fromProto(MemoryRegion region) {
        return new RemoteRegion(region.getRemoteAddr(), region.getRkey());
    }

    private static void requireDrawn(String name, long number) {
        if (number == 0) {
            throw new IllegalArgumentException(name + " 0 must be a random number other than 0");
        }
    }
}
