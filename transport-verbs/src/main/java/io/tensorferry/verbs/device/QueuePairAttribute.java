package io.tensorferry.verbs.device;

/// Attributes that a state transition of a queue pair sets, named as in `ibv_modify_qp`.
public enum QueuePairAttribute {
    /// Index into the port's partition-key table.
    PKEY_INDEX,
    /// The port, from 1.
    PORT,
    /// Remote access rights: the bits [QueuePairAttributes#ACCESS_REMOTE_WRITE] and
    /// [QueuePairAttributes#ACCESS_REMOTE_READ].
    ACCESS_FLAGS,
    /// The address vector of the peer, see [AddressHandle].
    ADDRESS,
    /// Payload bytes of a packet.
    PATH_MTU,
    DEST_QPN,
    /// The sequence number of the peer's first packet, 24 bits.
    RQ_PSN,
    /// Concurrent RDMA READs that this end serves.
    MAX_DEST_RD_ATOMIC,
    /// Encoded time that a peer waits after "receiver not ready", 0 to 31.
    MIN_RNR_TIMER,
    /// The sequence number of this side's first packet, 24 bits.
    SQ_PSN,
    /// Exponent n of the retransmission timeout, 4.096 us x 2^n; 0 waits forever.
    TIMEOUT,
    /// Number of retransmissions of a packet, 0 to 7.
    RETRY_COUNT,
    /// Number of retries after "receiver not ready", 0 to 7; 7 retries forever.
    RNR_RETRY,
    /// Outstanding RDMA READs of this end.
    MAX_RD_ATOMIC
}
