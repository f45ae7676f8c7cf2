package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.verbs.device.SendWorkRequest.Opcode;

/// What is measured. A write's latency is half of a round trip, both ways by writes and each noticed by looking at the
/// memory; a read's is the time from posting it to its completion.
enum Operation {
    WRITE(Opcode.RDMA_WRITE, "ib_write_bw", "ib_write_lat"),
    READ(Opcode.RDMA_READ, "ib_read_bw", "ib_read_lat");

    private final Opcode opcode;
    private final String throughputProgram;
    private final String latencyProgram;

    Operation(Opcode opcode, String throughputProgram, String latencyProgram) {
        this.opcode = opcode;
        this.throughputProgram = throughputProgram;
        this.latencyProgram = latencyProgram;
    }

    Opcode opcode() {
        return opcode;
    }

    String throughputProgram() {
        return throughputProgram;
    }

    String latencyProgram() {
        return latencyProgram;
    }
}
