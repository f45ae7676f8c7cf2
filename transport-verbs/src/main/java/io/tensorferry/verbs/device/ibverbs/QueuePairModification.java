package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.NativeCall;
import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.bindings.ibverbs.ibv_ah_attr;
import io.tensorferry.bindings.ibverbs.ibv_global_route;
import io.tensorferry.bindings.ibverbs.ibv_qp_attr;
import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.DeviceDescription;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import java.lang.foreign.MemorySegment;

/// Performs state transitions: converts the attributes to an `ibv_qp_attr` and its mask.
final class QueuePairModification {
    /// Soft-RoCE retries forever with a retry count of 7, so a dead peer would never be detected.
    private static final byte SOFT_ROCE_MOST_RETRIES = 6;

    private QueuePairModification() {}

    /// @param queuePair an `ibv_qp`
    /// @param port the port of the queue pair, from 1
    /// @param device the device of the queue pair
    /// @throws io.tensorferry.verbs.device.VerbsException the device's error
    static void perform(MemorySegment queuePair, QueuePairAttributes attributes, int port, DeviceDescription device) {
        try (var call = new NativeCall()) {
            MemorySegment target = ibv_qp_attr.allocate(call);
            ibv_qp_attr.qp_state(target, number(attributes.target()));
            int mask = Ibverbs.IBV_QP_STATE();
            for (QueuePairAttribute attribute : attributes.present()) {
                mask |= write(attribute, attributes, target, port);
            }
            if (device.isSoftRoce() && ibv_qp_attr.retry_cnt(target) > SOFT_ROCE_MOST_RETRIES) {
                ibv_qp_attr.retry_cnt(target, SOFT_ROCE_MOST_RETRIES);
            }
            VerbsCheck.returnedErrno(
                    "ibv_modify_qp",
                    Ibverbs.ibv_modify_qp(queuePair, target, mask),
                    () -> "the device refuses the change to " + attributes);
        }
    }

    /// @return the attribute's bit in the mask
    private static int write(
            QueuePairAttribute attribute, QueuePairAttributes attributes, MemorySegment target, int port) {
        int value = attribute == QueuePairAttribute.ADDRESS ? 0 : attributes.get(attribute);
        return switch (attribute) {
            case PKEY_INDEX -> {
                ibv_qp_attr.pkey_index(target, (short) value);
                yield Ibverbs.IBV_QP_PKEY_INDEX();
            }
            case PORT -> {
                ibv_qp_attr.port_num(target, (byte) value);
                yield Ibverbs.IBV_QP_PORT();
            }
            case ACCESS_FLAGS -> {
                ibv_qp_attr.qp_access_flags(target, value);
                yield Ibverbs.IBV_QP_ACCESS_FLAGS();
            }
            case ADDRESS -> {
                writeAddress(attributes.address(), ibv_qp_attr.ah_attr(target), port);
                yield Ibverbs.IBV_QP_AV();
            }
            case PATH_MTU -> {
                ibv_qp_attr.path_mtu(target, DeviceQueries.mtuCode(value));
                yield Ibverbs.IBV_QP_PATH_MTU();
            }
            case DEST_QPN -> {
                ibv_qp_attr.dest_qp_num(target, value);
                yield Ibverbs.IBV_QP_DEST_QPN();
            }
            case RQ_PSN -> {
                ibv_qp_attr.rq_psn(target, value);
                yield Ibverbs.IBV_QP_RQ_PSN();
            }
            case MAX_DEST_RD_ATOMIC -> {
                ibv_qp_attr.max_dest_rd_atomic(target, (byte) value);
                yield Ibverbs.IBV_QP_MAX_DEST_RD_ATOMIC();
            }
            case MIN_RNR_TIMER -> {
                ibv_qp_attr.min_rnr_timer(target, (byte) value);
                yield Ibverbs.IBV_QP_MIN_RNR_TIMER();
            }
            case SQ_PSN -> {
                ibv_qp_attr.sq_psn(target, value);
                yield Ibverbs.IBV_QP_SQ_PSN();
            }
            case TIMEOUT -> {
                ibv_qp_attr.timeout(target, (byte) value);
                yield Ibverbs.IBV_QP_TIMEOUT();
            }
            case RETRY_COUNT -> {
                ibv_qp_attr.retry_cnt(target, (byte) value);
                yield Ibverbs.IBV_QP_RETRY_CNT();
            }
            case RNR_RETRY -> {
                ibv_qp_attr.rnr_retry(target, (byte) value);
                yield Ibverbs.IBV_QP_RNR_RETRY();
            }
            case MAX_RD_ATOMIC -> {
                ibv_qp_attr.max_rd_atomic(target, (byte) value);
                yield Ibverbs.IBV_QP_MAX_QP_RD_ATOMIC();
            }
        };
    }

    /// Always sets a global route: RoCE requires it, and InfiniBand accepts it.
    private static void writeAddress(AddressHandle from, MemorySegment target, int port) {
        ibv_ah_attr.is_global(target, (byte) 1);
        ibv_ah_attr.dlid(target, (short) from.destinationLid());
        ibv_ah_attr.sl(target, (byte) from.serviceLevel());
        ibv_ah_attr.port_num(target, (byte) port);
        MemorySegment route = ibv_ah_attr.grh(target);
        DeviceQueries.writeGid(from.destination(), ibv_global_route.dgid(route));
        ibv_global_route.sgid_index(route, (byte) from.sourceGidIndex());
        ibv_global_route.hop_limit(route, (byte) from.hopLimit());
        ibv_global_route.traffic_class(route, (byte) from.trafficClass());
    }

    private static int number(QueuePairState state) {
        return switch (state) {
            case RESET -> Ibverbs.IBV_QPS_RESET();
            case INIT -> Ibverbs.IBV_QPS_INIT();
            case RTR -> Ibverbs.IBV_QPS_RTR();
            case RTS -> Ibverbs.IBV_QPS_RTS();
            case SQE -> Ibverbs.IBV_QPS_SQE();
            case ERR -> Ibverbs.IBV_QPS_ERR();
        };
    }

    /// @param number an `enum ibv_qp_state`
    static QueuePairState state(int number) {
        for (QueuePairState state : QueuePairState.values()) {
            if (number(state) == number) {
                return state;
            }
        }
        // SQD, which this library never requests, can still return to sending.
        return QueuePairState.RTS;
    }
}
