package io.tensorferry.testing.fabric;

import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.core.Request;
import io.tensorferry.verbs.device.software.core.SendSlot;
import org.jspecify.annotations.Nullable;

/// One request and its answer on their way.
///
/// Threading: the fabric's thread.
final class MessageInFlight {
    final Request request = new Request();
    final SendSlot slot;
    boolean arrived;
    /// Its payload is in place, and it waits for a posted receive.
    boolean payloadMoved;
    /// What the peer said; null until it was executed or refused.
    @Nullable
    WorkStatus answer;

    boolean answerArrived;

    MessageInFlight(SendSlot slot) {
        this.slot = slot;
        slot.describe(request);
    }
}
