package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.Transfer;
import io.tensorferry.it.benchmark.TransferPath;

/// One operation of the device interfaces, without any layer above them.
///
/// @param name the name in the table
/// @param pair remains owned by the caller
record RawPath(String name, RawPair pair, Operation operation, Queues queues) implements TransferPath {
    @Override
    public String device() {
        return pair.address().device();
    }

    @Override
    public int window(long bytes) {
        return Posting.of(bytes, queues).depth() * queues.lanes();
    }

    @Override
    public Transfer throughput(long bytes, int count) throws InterruptedException {
        return pair.throughput(operation, bytes, count, queues);
    }

    @Override
    public Transfer latency(long bytes, int count) throws InterruptedException {
        return switch (operation) {
            case WRITE, WRITE_WITH_IMMEDIATE, WRITE_AND_FLAG -> pair.writeLatency(operation, bytes, count);
            case READ -> pair.readLatency(bytes, count);
        };
    }

    @Override
    public void verify(long bytes) throws InterruptedException {
        pair.verify(operation, bytes, queues);
    }

    @Override
    public void close() {}
}
