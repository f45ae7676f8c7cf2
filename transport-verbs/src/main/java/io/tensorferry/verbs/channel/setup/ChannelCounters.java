package io.tensorferry.verbs.channel.setup;

import java.util.concurrent.atomic.LongAdder;

/// What the channels of an adapter have counted since its start. Any thread.
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

    /// Channels that failed, and of whose end all have been told.
    public long failed() {
        return failed.sum();
    }

    /// Those who wait for a channel now: receives, edges, parts. At most as many as are live.
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

    /// Completions with a work id that this adapter never gave out.
    public long unknownCompletions() {
        return unknownCompletions.sum();
    }
}
