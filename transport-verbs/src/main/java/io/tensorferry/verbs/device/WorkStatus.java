package io.tensorferry.verbs.device;

/// The status of a work completion, with the numbers of `enum ibv_wc_status`.
public enum WorkStatus {
    SUCCESS,
    LOC_LEN_ERR,
    LOC_QP_OP_ERR,
    LOC_EEC_OP_ERR,
    LOC_PROT_ERR,
    /// The queue pair entered ERR while the work request was outstanding, or before it was posted.
    WR_FLUSH_ERR,
    MW_BIND_ERR,
    BAD_RESP_ERR,
    LOC_ACCESS_ERR,
    REM_INV_REQ_ERR,
    REM_ACCESS_ERR,
    REM_OP_ERR,
    /// The peer did not answer: it is unreachable, or its queue pair is not ready.
    RETRY_EXC_ERR,
    /// The peer had no receive posted for all retries.
    RNR_RETRY_EXC_ERR,
    LOC_RDD_VIOL_ERR,
    REM_INV_RD_REQ_ERR,
    REM_ABORT_ERR,
    INV_EECN_ERR,
    INV_EEC_STATE_ERR,
    FATAL_ERR,
    RESP_TIMEOUT_ERR,
    GENERAL_ERR;

    private static final WorkStatus[] BY_NUMBER = values();

    @SuppressWarnings("EnumOrdinal") // the order is that of enum ibv_wc_status, which is fixed
    public int number() {
        return ordinal();
    }

    /// Returns the status with this number; [#GENERAL_ERR] if the number is unknown.
    public static WorkStatus ofNumber(int number) {
        return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : GENERAL_ERR;
    }
}
