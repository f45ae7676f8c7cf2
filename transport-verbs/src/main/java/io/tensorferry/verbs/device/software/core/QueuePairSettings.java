package io.tensorferry.verbs.device.software.core;

import static io.tensorferry.verbs.device.QueuePairAttribute.ACCESS_FLAGS;
import static io.tensorferry.verbs.device.QueuePairAttribute.ADDRESS;
import static io.tensorferry.verbs.device.QueuePairAttribute.DEST_QPN;
import static io.tensorferry.verbs.device.QueuePairAttribute.MAX_DEST_RD_ATOMIC;
import static io.tensorferry.verbs.device.QueuePairAttribute.MAX_RD_ATOMIC;
import static io.tensorferry.verbs.device.QueuePairAttribute.MIN_RNR_TIMER;
import static io.tensorferry.verbs.device.QueuePairAttribute.RETRY_COUNT;
import static io.tensorferry.verbs.device.QueuePairAttribute.RNR_RETRY;
import static io.tensorferry.verbs.device.QueuePairAttribute.RQ_PSN;
import static io.tensorferry.verbs.device.QueuePairAttribute.SQ_PSN;
import static io.tensorferry.verbs.device.QueuePairAttribute.TIMEOUT;

import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.VerbsException;
import java.util.EnumMap;
import java.util.Map;

/// The attributes that a queue pair was given by its changes of state. Owned by the loop.
public final class QueuePairSettings {
    private static final int MAX_24_BITS = 0xFF_FFFF;
    private static final int INFINITE_RNR_RETRY = 7;

    private final Map<QueuePairAttribute, Integer> values = new EnumMap<>(QueuePairAttribute.class);
    private AddressHandle address = new AddressHandle(new Gid(0, 0), 0, 0, 0, 0, 1);

    /// Takes the attributes of one change of state: all of them, or none if one is bad.
    ///
    /// @throws VerbsException EINVAL, naming the attribute, its value and the range
    void apply(QueuePairAttributes attributes, int activeMtu, int maxReadsAsInitiator, int maxReadsAsTarget) {
        for (QueuePairAttribute attribute : attributes.present()) {
            if (attribute == ADDRESS) {
                check(attributes.address());
            } else {
                check(attribute, attributes.get(attribute), activeMtu, maxReadsAsInitiator, maxReadsAsTarget);
            }
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

    private static void check(AddressHandle handle) {
        if (!handle.destination().isIpv4Mapped()) {
            throw invalid(ADDRESS, "destination " + handle.destination(), "an IPv4-mapped GID");
        }
        range(ADDRESS, handle.destinationLid(), 1, 0xFFFF);
        range(ADDRESS, handle.sourceGidIndex(), 0, 0);
        range(ADDRESS, handle.serviceLevel(), 0, 15);
        range(ADDRESS, handle.trafficClass(), 0, 255);
        range(ADDRESS, handle.hopLimit(), 0, 255);
    }

    private static void check(
            QueuePairAttribute attribute, int value, int activeMtu, int maxReadsAsInitiator, int maxReadsAsTarget) {
        switch (attribute) {
            case PKEY_INDEX -> range(attribute, value, 0, 0);
            case PORT -> range(attribute, value, 1, 1);
            case ACCESS_FLAGS ->
                range(
                        attribute,
                        value & ~(QueuePairAttributes.ACCESS_REMOTE_WRITE | QueuePairAttributes.ACCESS_REMOTE_READ | 1),
                        0,
                        0);
            case PATH_MTU -> {
                if (Integer.bitCount(value) != 1 || value < 256 || value > activeMtu) {
                    throw invalid(attribute, "" + value, "a power of two from 256 to the port's " + activeMtu);
                }
            }
            case DEST_QPN, RQ_PSN, SQ_PSN -> range(attribute, value, 0, MAX_24_BITS);
            case MAX_DEST_RD_ATOMIC -> range(attribute, value, 0, maxReadsAsTarget);
            case MAX_RD_ATOMIC -> range(attribute, value, 0, maxReadsAsInitiator);
            case MIN_RNR_TIMER, TIMEOUT -> range(attribute, value, 0, 31);
            case RETRY_COUNT, RNR_RETRY -> range(attribute, value, 0, 7);
            case ADDRESS -> throw new IllegalArgumentException("ADDRESS is not a number");
        }
    }

    private static void range(QueuePairAttribute attribute, int value, int least, int most) {
        if (value < least || value > most) {
            throw invalid(attribute, "" + value, least + " to " + most);
        }
    }

    private static VerbsException invalid(QueuePairAttribute attribute, String value, String wanted) {
        return new VerbsException(
                "ibv_modify_qp", VerbsException.EINVAL, attribute + " is " + value + ", wanted is " + wanted);
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

    /// Whether `rnrRetry` means for ever.
    public static boolean isForEver(int rnrRetry) {
        return rnrRetry == INFINITE_RNR_RETRY;
    }

    long rnrDelayNs() {
        return RnrTimer.nanoseconds(value(MIN_RNR_TIMER));
    }

    /// The time after which an unanswered request is sent again; [Long#MAX_VALUE] for never.
    public long retryIntervalNs() {
        int timeout = value(TIMEOUT);
        return timeout == 0 ? Long.MAX_VALUE : 4096L << timeout;
    }

    /// The time after which an unanswered request has failed; [Long#MAX_VALUE] for never.
    public long retryBudgetNs() {
        long interval = retryIntervalNs();
        return interval == Long.MAX_VALUE ? interval : interval * (value(RETRY_COUNT) + 1);
    }

    private int value(QueuePairAttribute attribute) {
        return values.getOrDefault(attribute, 0);
    }
}
