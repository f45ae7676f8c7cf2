package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.ChosenPort;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAddress;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.RdmaConfig;

/// The way of a queue pair from RESET to RTS, with the values that the original uses and the user's configuration.
final class QueuePairSetup {
    private static final int HOP_LIMIT = 255;
    /// Code 12: the peer waits 0.64 ms before it tries again to reach a receive queue that was empty.
    private static final int MIN_RNR_TIMER = 12;
    private static final int RNR_RETRY_FOR_EVER = 7;
    private static final int READS_AT_ONCE = 1;

    private QueuePairSetup() {}

    static void toInit(QueuePair queuePair, ChosenPort port, RdmaConfig config) {
        queuePair.modify(QueuePairAttributes.to(QueuePairState.INIT)
                .set(QueuePairAttribute.PKEY_INDEX, config.pkeyIndex())
                .set(QueuePairAttribute.PORT, port.portNumber())
                .set(QueuePairAttribute.ACCESS_FLAGS, QueuePairAttributes.ACCESS_REMOTE_WRITE));
    }

    /// @param mtu bytes, the smaller of both ends
    static void toReadyToReceive(
            QueuePair queuePair, ChosenPort port, RdmaConfig config, QueuePairAddress peer, int mtu) {
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR)
                .address(new AddressHandle(
                        peer.gid(),
                        peer.lid(),
                        port.gid().index(),
                        config.serviceLevel(),
                        config.trafficClass(),
                        HOP_LIMIT))
                .set(QueuePairAttribute.PATH_MTU, mtu)
                .set(QueuePairAttribute.DEST_QPN, peer.queuePairNumber())
                .set(QueuePairAttribute.RQ_PSN, peer.packetSequenceNumber())
                .set(QueuePairAttribute.MAX_DEST_RD_ATOMIC, READS_AT_ONCE)
                .set(QueuePairAttribute.MIN_RNR_TIMER, MIN_RNR_TIMER));
    }

    static void toReadyToSend(QueuePair queuePair, RdmaConfig config, int packetSequenceNumber) {
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS)
                .set(QueuePairAttribute.SQ_PSN, packetSequenceNumber)
                .set(QueuePairAttribute.TIMEOUT, config.timeout())
                .set(QueuePairAttribute.RETRY_COUNT, config.retryCount())
                .set(QueuePairAttribute.RNR_RETRY, RNR_RETRY_FOR_EVER)
                .set(QueuePairAttribute.MAX_RD_ATOMIC, READS_AT_ONCE));
    }
}
