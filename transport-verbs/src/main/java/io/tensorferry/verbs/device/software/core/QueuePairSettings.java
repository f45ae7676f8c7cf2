package io.tensorferry.verbs.device.software.core;

import static io.tensorferry.verbs.device.QueuePairAttribute.ACCESS_FLAGS;
import static io.tensorferry.verbs.device.QueuePairAttribute.ADDRESS;
import static io.tensorferry.verbs.device.QueuePairAttribute.DEST_QPN;
import static io.tensorferry.verbs.device.QueuePairAttribute.MAX_DEST_RD_ATOMIC;
import static io.tensorferry.verbs.device.QueuePairAttribute.MAX_RD_ATOMIC;
import static io.tensorferry.verbs.device.QueuePairAttribute.MIN_RNR_TIMER;
import static io.tensorferry.verbs.device.QueuePairAttribute.PKEY_INDEX;
import static io.tensorferry.verbs.device.QueuePairAttribute.RETRY_COUNT;
import static io.tensorferry.verbs.device.QueuePairAttribute.RNR_RETRY;
import static io.tensorferry.verbs.device.QueuePairAttribute.RQ_PSN;
import static io.tensorferry.verbs.device.QueuePairAttribute.SQ_PSN;
import static io.tensorferry.verbs.device.QueuePairAttribute.TIMEOUT;

import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.DeviceAttributes;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.support.QueuePairAttributeRanges;
import java.util.EnumMap;
import java.util.Map;

/// The attributes that a queue pair has received through its state changes. Owned by the loop.
public final class QueuePairSettings {
    private static final int INFINITE_RNR_RETRY = 7;

    private final Map<QueuePairAttribute, Integer> values = new EnumMap<>(QueuePairAttribute.class);
    private AddressHandle address = new AddressHandle(new Gid(0, 0), 0, 0, 0, 0, 1);

    /// Applies the attributes of one state change: all of them, or none if one is invalid.
    ///
    /// @throws VerbsException EINVAL, naming the attribute, its value and the range
    void apply(QueuePairAttributes attributes, DeviceAttributes limits, int activeMtu, int gidTableLength) {
        QueuePairAttributeRanges.check(attributes, limits, activeMtu);
        for (QueuePairAttribute attribute : attributes.present()) {
            checkOwnLimits(attribute, attributes, gidTableLength);
        }
        for (QueuePairAttribute attribute : attributes.present()) {
            if (attribute == ADDRESS) {
                address = attributes.address();
            } else {
                values.put(attribute, attributes.get(attribute));
            }
        }
    }

    void clear() {
        values.clear();
    }

    /// Checks the limits that are narrower than on other devices.
    private static void checkOwnLimits(
            QueuePairAttribute attribute, QueuePairAttributes attributes, int gidTableLength) {
        if (attribute == PKEY_INDEX) {
            QueuePairAttributeRanges.require(attribute, attributes.get(attribute), 0, 0);
        } else if (attribute == ADDRESS) {
            AddressHandle handle = attributes.address();
            if (!handle.destination().isIpv4Mapped()) {
                throw new VerbsException(
                        "ibv_modify_qp",
                        VerbsException.EINVAL,
                        "ADDRESS " + handle.destination() + " must be an IPv4-mapped GID");
            }
            QueuePairAttributeRanges.require(attribute, "destination LID", handle.destinationLid(), 1, 0xFFFF);
            QueuePairAttributeRanges.require(
                    attribute, "source GID index", handle.sourceGidIndex(), 0, gidTableLength - 1);
        }
    }

    public AddressHandle address() {
        return address;
    }

    public int destination() {
        return value(DEST_QPN);
    }

    /// The sequence number of this side's first request.
    int sendSequence() {
        return value(SQ_PSN);
    }

    /// The sequence number of the peer's first request.
    int receiveSequence() {
        return value(RQ_PSN);
    }

    boolean grants(int accessBit) {
        return (value(ACCESS_FLAGS) & accessBit) != 0;
    }

    int maxReads() {
        return value(MAX_RD_ATOMIC);
    }

    boolean answersReads() {
        return value(MAX_DEST_RD_ATOMIC) > 0;
    }

    public int rnrRetry() {
        return value(RNR_RETRY);
    }

    /// Whether `rnrRetry` stands for unlimited retries.
    public static boolean isForEver(int rnrRetry) {
        return rnrRetry == INFINITE_RNR_RETRY;
    }

    long rnrDelayNs() {
        return RnrTimer.nanoseconds(value(MIN_RNR_TIMER));
    }

    /// The time after which an unanswered request is resent; [Long#MAX_VALUE] for never.
    public long retryIntervalNs() {
        int timeout = value(TIMEOUT);
        return timeout == 0 ? Long.MAX_VALUE : 4096L << timeout;
    }

    /// The time after which an unanswered request fails; [Long#MAX_VALUE] for never.
    public long retryBudgetNs() {
        long interval = retryIntervalNs();
        return interval == Long.MAX_VALUE ? interval : interval * (value(RETRY_COUNT) + 1);
    }

    private int value(QueuePairAttribute attribute) {
        return values.getOrDefault(attribute, 0);
    }
}
