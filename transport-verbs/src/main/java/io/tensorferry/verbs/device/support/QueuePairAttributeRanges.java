package io.tensorferry.verbs.device.support;

import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.DeviceAttributes;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.VerbsException;

/// Checks the ranges of queue pair attributes. For implementations of a device: a driver may silently truncate a number
/// that does not fit its field.
public final class QueuePairAttributeRanges {
    private static final int MAX_24_BITS = 0xFF_FFFF;
    private static final int MAX_16_BITS = 0xFFFF;
    private static final int LOCAL_WRITE = 1;
    private static final int ACCESS_BITS =
            QueuePairAttributes.ACCESS_REMOTE_WRITE | QueuePairAttributes.ACCESS_REMOTE_READ | LOCAL_WRITE;

    private QueuePairAttributeRanges() {}

    /// @param limits the device's limits
    /// @param activeMtu the port's active MTU in bytes
    /// @throws VerbsException EINVAL, naming the first attribute that is out of range, its value and the range
    public static void check(QueuePairAttributes attributes, DeviceAttributes limits, int activeMtu) {
        for (QueuePairAttribute attribute : attributes.present()) {
            if (attribute == QueuePairAttribute.ADDRESS) {
                check(attributes.address());
            } else {
                check(attribute, attributes.get(attribute), limits, activeMtu);
            }
        }
    }

    private static void check(AddressHandle handle) {
        require(QueuePairAttribute.ADDRESS, "destination LID", handle.destinationLid(), 0, MAX_16_BITS);
        require(QueuePairAttribute.ADDRESS, "source GID index", handle.sourceGidIndex(), 0, 255);
        require(QueuePairAttribute.ADDRESS, "service level", handle.serviceLevel(), 0, 15);
        require(QueuePairAttribute.ADDRESS, "traffic class", handle.trafficClass(), 0, 255);
        require(QueuePairAttribute.ADDRESS, "hop limit", handle.hopLimit(), 0, 255);
    }

    private static void check(QueuePairAttribute attribute, int value, DeviceAttributes limits, int activeMtu) {
        switch (attribute) {
            case PKEY_INDEX -> require(attribute, value, 0, MAX_16_BITS);
            case PORT -> require(attribute, value, 1, limits.portCount());
            case ACCESS_FLAGS -> require(attribute, value & ~ACCESS_BITS, 0, 0);
            case PATH_MTU -> {
                if (Integer.bitCount(value) != 1 || value < 256 || value > activeMtu) {
                    throw invalid(attribute, value, "a power of two from 256 to the port's " + activeMtu);
                }
            }
            case DEST_QPN, RQ_PSN, SQ_PSN -> require(attribute, value, 0, MAX_24_BITS);
            case MAX_DEST_RD_ATOMIC -> require(attribute, value, 0, limits.maxReadsAsTarget());
            case MAX_RD_ATOMIC -> require(attribute, value, 0, limits.maxReadsAsInitiator());
            case MIN_RNR_TIMER, TIMEOUT -> require(attribute, value, 0, 31);
            case RETRY_COUNT, RNR_RETRY -> require(attribute, value, 0, 7);
            case ADDRESS -> throw new IllegalArgumentException("ADDRESS is not a number");
        }
    }

    /// @throws VerbsException EINVAL if `value` is not in `[least, most]`
    public static void require(QueuePairAttribute attribute, int value, int least, int most) {
        require(attribute, "value", value, least, most);
    }

    /// @param part the part of the attribute that `value` is
    /// @throws VerbsException EINVAL if `value` is not in `[least, most]`
    public static void require(QueuePairAttribute attribute, String part, int value, int least, int most) {
        if (value < least || value > most) {
            throw invalid(attribute, value, "a " + part + " of " + least + " to " + most);
        }
    }

    private static VerbsException invalid(QueuePairAttribute attribute, int value, String wanted) {
        return new VerbsException(
                "ibv_modify_qp", VerbsException.EINVAL, attribute + " " + value + " must be " + wanted);
    }
}
