package io.tensorferry.verbs.device.support;

import static io.tensorferry.verbs.device.QueuePairAttribute.ACCESS_FLAGS;
import static io.tensorferry.verbs.device.QueuePairAttribute.ADDRESS;
import static io.tensorferry.verbs.device.QueuePairAttribute.DEST_QPN;
import static io.tensorferry.verbs.device.QueuePairAttribute.MAX_DEST_RD_ATOMIC;
import static io.tensorferry.verbs.device.QueuePairAttribute.MAX_RD_ATOMIC;
import static io.tensorferry.verbs.device.QueuePairAttribute.MIN_RNR_TIMER;
import static io.tensorferry.verbs.device.QueuePairAttribute.PATH_MTU;
import static io.tensorferry.verbs.device.QueuePairAttribute.PKEY_INDEX;
import static io.tensorferry.verbs.device.QueuePairAttribute.PORT;
import static io.tensorferry.verbs.device.QueuePairAttribute.RETRY_COUNT;
import static io.tensorferry.verbs.device.QueuePairAttribute.RNR_RETRY;
import static io.tensorferry.verbs.device.QueuePairAttribute.RQ_PSN;
import static io.tensorferry.verbs.device.QueuePairAttribute.SQ_PSN;
import static io.tensorferry.verbs.device.QueuePairAttribute.TIMEOUT;

import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.VerbsException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// The state transitions of a reliable-connected queue pair, as data: the required and optional attributes of each. Any
/// state may change to RESET, and any state except RESET to ERR, without attributes.
///
/// Source: the table of `ibv_modify_qp(3)` for IBV_QPT_RC. Linux adds the rule that RESET does not change to ERR.
///
/// @param from the state before
/// @param to the state after
/// @param required attributes that must be given
/// @param optional attributes that may be given
public record QueuePairTransition(
        QueuePairState from, QueuePairState to, Set<QueuePairAttribute> required, Set<QueuePairAttribute> optional) {
    private static final List<QueuePairTransition> TABLE = List.of(
            new QueuePairTransition(
                    QueuePairState.RESET, QueuePairState.INIT, Set.of(PKEY_INDEX, PORT, ACCESS_FLAGS), Set.of()),
            new QueuePairTransition(
                    QueuePairState.INIT, QueuePairState.INIT, Set.of(), Set.of(PKEY_INDEX, PORT, ACCESS_FLAGS)),
            new QueuePairTransition(
                    QueuePairState.INIT,
                    QueuePairState.RTR,
                    Set.of(ADDRESS, PATH_MTU, DEST_QPN, RQ_PSN, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER),
                    Set.of(PKEY_INDEX, ACCESS_FLAGS)),
            new QueuePairTransition(
                    QueuePairState.RTR,
                    QueuePairState.RTS,
                    Set.of(SQ_PSN, TIMEOUT, RETRY_COUNT, RNR_RETRY, MAX_RD_ATOMIC),
                    Set.of(ACCESS_FLAGS, MIN_RNR_TIMER)),
            new QueuePairTransition(
                    QueuePairState.RTS, QueuePairState.RTS, Set.of(), Set.of(ACCESS_FLAGS, MIN_RNR_TIMER)),
            new QueuePairTransition(
                    QueuePairState.SQE, QueuePairState.RTS, Set.of(), Set.of(ACCESS_FLAGS, MIN_RNR_TIMER)));

    /// Checks a state transition against the table.
    ///
    /// @throws VerbsException EINVAL, naming the attributes that are missing or not allowed, or the states without a
    ///     transition
    public static void check(QueuePairState from, QueuePairAttributes attributes) {
        QueuePairState to = attributes.target();
        if (to == QueuePairState.RESET || (to == QueuePairState.ERR && from != QueuePairState.RESET)) {
            requireEmpty("takes no attributes, but was given", from, to, attributes.present());
            return;
        }
        for (QueuePairTransition transition : TABLE) {
            if (transition.from == from && transition.to == to) {
                var missing = EnumSet.noneOf(QueuePairAttribute.class);
                missing.addAll(transition.required);
                missing.removeAll(attributes.present());
                requireEmpty("lacks", from, to, missing);
                Set<QueuePairAttribute> extra = attributes.present();
                extra.removeAll(transition.required);
                extra.removeAll(transition.optional);
                requireEmpty("does not take", from, to, extra);
                return;
            }
        }
        throw new VerbsException(
                "ibv_modify_qp", VerbsException.EINVAL, "no transition leads from " + from + " to " + to);
    }

    private static void requireEmpty(
            String problem, QueuePairState from, QueuePairState to, Set<QueuePairAttribute> attributes) {
        if (!attributes.isEmpty()) {
            throw new VerbsException(
                    "ibv_modify_qp",
                    VerbsException.EINVAL,
                    "the transition from " + from + " to " + to + " " + problem + " " + attributes);
        }
    }
}
