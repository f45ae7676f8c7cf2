package io.tensorferry.verbs.channel.setup;

import java.util.concurrent.atomic.LongAdder;

/// Counters of an adapter's channels since its start. Any thread.
public final class ChannelCounters {
    public final LongAdder opened = new LongAdder();
    public final LongAdder failed = new LongAdder();
    public final LongAdder waiting = new LongAdder();
    public final LongAdder malformedMessages = new LongAdder();
    public final LongAdder protocolViolations = new LongAdder();
    public final LongAdder messagesSent = new LongAdder();
    public final LongAdder messagesReceived = new LongAdder();
    public final LongAdder acknowledgementsSent = new LongAdder();
    public final LongAdder unknownCompletions = new LongAdder();

    public ChannelCounters() {}

    /// Channels that were opened.
    public long opened() {
        return opened.sum();
    }

    /// Channels that failed and whose handlers have been notified.
    public long failed() {
        return failed.sum();
    }

    /// Receives, edges and parts that wait for a channel now.
    public long waiting() {
        return waiting.sum();
    }

    /// Control messages that could not be decoded; each failed its channel.
    public long malformedMessages() {
        return malformedMessages.sum();
    }

    /// Well-formed messages and immediates that were not allowed; each failed its channel.
    public long protocolViolations() {
        return protocolViolations.sum();
    }

    public long messagesSent() {
        return messagesSent.sum();
    }

    public long messagesReceived() {
        return messagesReceived.sum();
    }

    public long acknowledgementsSent() {
        return acknowledgementsSent.sum();
    }

    /// Completions with an unknown work id.
    public long unknownCompletions() {
        return unknownCompletions.sum();
    }
}
