package io.tensorferry.verbs.channel.setup;

import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairAddress;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.choice.ChosenPort;
import io.tensorferry.verbs.device.choice.PortAddress;

/// Moves a queue pair from RESET to RTS, with the values of the original implementation and the user's configuration.
final class QueuePairSetup {
    private static final int HOP_LIMIT = 255;
    /// Code 12: the peer retries 0.64 ms after it found the receive queue empty.
    private static final int MIN_RNR_TIMER = 12;
    private static final int RNR_RETRY_FOR_EVER = 7;

    // Used if no reads are allowed: the smallest value that every device accepts.
    private static final int FEWEST_READS = 1;

    private QueuePairSetup() {}

    /// @param readable whether the peer may read memory, as far as its rkey allows
    static void toInit(QueuePair queuePair, ChosenPort port, RdmaConfig config, boolean readable) {
        int access = QueuePairAttributes.ACCESS_REMOTE_WRITE | (readable ? QueuePairAttributes.ACCESS_REMOTE_READ : 0);
        queuePair.modify(QueuePairAttributes.to(QueuePairState.INIT)
                .set(QueuePairAttribute.PKEY_INDEX, config.pkeyIndex())
                .set(QueuePairAttribute.PORT, port.portNumber())
                .set(QueuePairAttribute.ACCESS_FLAGS, access));
    }

    /// @param own local address of the queue pair
    /// @param mtu bytes, the smaller of both ends
    /// @param reads reads that the peer may have outstanding
    static void toReadyToReceive(
            QueuePair queuePair, PortAddress own, RdmaConfig config, QueuePairAddress peer, int mtu, int reads) {
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR)
                .address(new AddressHandle(
                        peer.gid(),
                        peer.lid(),
                        own.gid().index(),
                        config.serviceLevel(),
                        config.trafficClass(),
                        HOP_LIMIT))
                .set(QueuePairAttribute.PATH_MTU, mtu)
                .set(QueuePairAttribute.DEST_QPN, peer.queuePairNumber())
                .set(QueuePairAttribute.RQ_PSN, peer.packetSequenceNumber())
                .set(QueuePairAttribute.MAX_DEST_RD_ATOMIC, Math.max(FEWEST_READS, reads))
                .set(QueuePairAttribute.MIN_RNR_TIMER, MIN_RNR_TIMER));
    }

    /// @param reads reads that this end may have outstanding
    static void toReadyToSend(QueuePair queuePair, RdmaConfig config, int packetSequenceNumber, int reads) {
        queuePair.modify(QueuePairAttributes.to(QueuePairState.RTS)
                .set(QueuePairAttribute.SQ_PSN, packetSequenceNumber)
                .set(QueuePairAttribute.TIMEOUT, config.timeout())
                .set(QueuePairAttribute.RETRY_COUNT, config.retryCount())
                .set(QueuePairAttribute.RNR_RETRY, RNR_RETRY_FOR_EVER)
                .set(QueuePairAttribute.MAX_RD_ATOMIC, Math.max(FEWEST_READS, reads)));
    }
}
