package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.wire.WorkKind;

/// Work completions that fail the receives of their channel, because another channel would end the same way. Read from
/// [ChannelFailure], which `ChannelFailureTest` compares with the table in docs/reliability.md.
public final class HopelessStatuses {
    private HopelessStatuses() {}

    public static boolean contains(WorkStatus status) {
        return ChannelFailure.ofCompletion("peer", WorkKind.CONTENT, status, 0).recovery()
                == ChannelFailure.Recovery.FAIL;
    }
}
