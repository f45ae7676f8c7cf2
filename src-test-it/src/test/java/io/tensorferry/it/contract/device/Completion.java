package io.tensorferry.it.contract.device;

import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.device.WorkStatus;

/// What a completion said, kept.
record Completion(
        long workId,
        WorkStatus status,
        WorkCompletion.Opcode opcode,
        long byteLength,
        boolean hasImmediate,
        int immediate,
        int queuePairNumber) {
    static Completion of(WorkCompletion cursor) {
        boolean success = cursor.status() == WorkStatus.SUCCESS;
        return new Completion(
                cursor.workId(),
                cursor.status(),
                cursor.opcode(),
                success ? cursor.byteLength() : 0,
                success && cursor.hasImmediate(),
                success && cursor.hasImmediate() ? cursor.immediate() : 0,
                cursor.queuePairNumber());
    }
}
