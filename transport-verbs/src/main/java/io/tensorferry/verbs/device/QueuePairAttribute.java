package io.tensorferry.verbs.device;

/// The attributes of a queue pair that a change of state sets, by the names of `ibv_modify_qp`.
public enum QueuePairAttribute {
    /// Index into the port's partition-key table.
    PKEY_INDEX,
    /// The port, from 1.
    PORT,
    /// What peers may do: bits as in [QueuePairAttributes#ACCESS_REMOTE_WRITE] and
    /// [QueuePairAttributes#ACCESS_REMOTE_READ].
    ACCESS_FLAGS,
    /// Where the peer is, see [AddressHandle].
    ADDRESS,
    /// Bytes of a packet's payload.
    PATH_MTU,
    DEST_QPN,
    /// The sequence number of the peer's first packet, 24 bits.
    RQ_PSN,
    /// RDMA READs of the peer that are answered at once.
    MAX_DEST_RD_ATOMIC,
    /// The code of the time that a peer waits after "receiver not ready", 0 to 31.
    MIN_RNR_TIMER,
    /// The sequence number of this side's first packet, 24 bits.
    SQ_PSN,
    /// The code of the time until a packet is sent again: 4.096 us x 2^n; 0 is for ever.
    TIMEOUT,
    /// Times that a packet is sent again, 0 to 7.
    RETRY_COUNT,
    /// Times that a send is tried again after "receiver not ready", 0 to 7; 7 is for ever.
    RNR_RETRY,
    /// Own RDMA READs outstanding at once.
    MAX_RD_ATOMIC
}
