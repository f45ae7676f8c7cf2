package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.device.WorkStatus;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/// After which completions what was under way fails, because asking again would end the same way: as the table in
/// docs/reliability.md has it, for the tests of every device.
public final class HopelessStatuses {
    /// The peer's doing, or our own mistake.
    public static final Set<WorkStatus> ALL = Collections.unmodifiableSet(EnumSet.of(
            WorkStatus.REM_INV_REQ_ERR,
            WorkStatus.LOC_LEN_ERR,
            WorkStatus.LOC_ACCESS_ERR,
            WorkStatus.LOC_PROT_ERR,
            WorkStatus.LOC_QP_OP_ERR,
            WorkStatus.MW_BIND_ERR,
            WorkStatus.LOC_EEC_OP_ERR,
            WorkStatus.LOC_RDD_VIOL_ERR,
            WorkStatus.REM_INV_RD_REQ_ERR,
            WorkStatus.INV_EECN_ERR,
            WorkStatus.INV_EEC_STATE_ERR));

    private HopelessStatuses() {}
}
