package io.tensorferry.it.contract.device;

import io.tensorferry.verbs.device.WorkStatus;
import java.util.Set;

/// Failures that not every device names alike, with the name that the InfiniBand specification gives them and the one
/// that the kernel's Soft-RoCE (rdma_rxe) does. That something fails, that nothing is written, and what state follows
/// are the same on all devices, except for the last one.
enum Failure {
    /// A request that has not been answered yet when a later one fails because of its own memory. Soft-RoCE does not
    /// wait for its answer.
    BEFORE_LOCAL_MEMORY(WorkStatus.SUCCESS, WorkStatus.WR_FLUSH_ERR),
    /// A message does not fit into its receive, at the sender. Soft-RoCE takes that for a receive that is wrong in
    /// itself.
    TOO_LONG_FOR_RECEIVE_AT_SENDER(WorkStatus.REM_INV_REQ_ERR, WorkStatus.REM_OP_ERR),
    /// The same, at the receiver.
    TOO_LONG_FOR_RECEIVE_AT_RECEIVER(WorkStatus.LOC_LEN_ERR, WorkStatus.LOC_QP_OP_ERR),
    /// A receive names memory that is not registered. Soft-RoCE takes that for a receive that is wrong in itself.
    RECEIVE_MEMORY(WorkStatus.LOC_PROT_ERR, WorkStatus.LOC_QP_OP_ERR),
    /// A write through a window goes to bytes of its region that are not the window's. Soft-RoCE lets it: it compares
    /// the range with the region's alone.
    OUTSIDE_THE_WINDOW(WorkStatus.REM_ACCESS_ERR, WorkStatus.SUCCESS);

    private final WorkStatus specified;
    private final WorkStatus softRoce;

    Failure(WorkStatus specified, WorkStatus softRoce) {
        this.specified = specified;
        this.softRoce = softRoce;
    }

    /// What may complete so. Of Soft-RoCE too the specified one, which some kernels give.
    Set<WorkStatus> statuses(boolean onSoftRoce) {
        return onSoftRoce ? Set.of(specified, softRoce) : Set.of(specified);
    }
}
