package io.tensorferry.testing.fabric;

import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.core.Request;
import io.tensorferry.verbs.device.software.core.SendSlot;
import org.jspecify.annotations.Nullable;

/// A request in flight, with its answer.
///
/// Threading: the fabric's thread.
final class MessageInFlight {
    final Request request = new Request();
    final SendSlot slot;
    boolean arrived;
    /// Whether the payload is in place and the request waits for a posted receive.
    boolean payloadMoved;
    /// The peer's verdict; null until the request is executed or refused.
    @Nullable
    WorkStatus answer;

    boolean answerArrived;

    MessageInFlight(SendSlot slot) {
        this.slot = slot;
        slot.describe(request);
    }
}
