package io.tensorferry.verbs.channel;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.wire.MalformedMessageException;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import io.tensorferry.verbs.wire.WorkKind;

/// The reason a channel ended: the exception for its receives and the permitted recovery.
///
/// This class alone maps failed work completions, asynchronous events, refused verbs calls and protocol violations to a
/// status code. Every value of [WorkStatus] and of [AsyncEvent.Type] is named, so that a new value does not compile
/// before it has been considered. The table in docs/reliability.md has a row for each.
///
/// Immutable.
///
/// @param cause the exception of the receives that fail: code, peer, device status
/// @param recovery the permitted recovery
public record ChannelFailure(TransportException cause, Recovery recovery) {
    /// The recovery permitted after the end of a channel.
    public enum Recovery {
        /// The path was disturbed. Another channel to the same peer may work, and operations in progress resume over
        /// it.
        RECONNECT,
        /// As [#RECONNECT], but once for each incarnation of the peer's process: the failure looks like the death of
        /// that process, and if it recurs, one of the ends is defective.
        RECONNECT_ONCE,
        /// As [#RECONNECT], but not before the port is active again.
        RECONNECT_WHEN_PORT_IS_ACTIVE,
        /// The peer violated the protocol, or this end made an error that it would repeat. Operations in progress fail.
        /// A later receive may set up another channel.
        FAIL,
        /// The device is defective: no channel can be created on it any more.
        NEVER
    }

    /// The object that an asynchronous event concerns, among those that this transport uses.
    public enum Scope {
        NOTHING,
        QUEUE_PAIR,
        COMPLETION_QUEUE,
        PORT,
        ADDRESS,
        DEVICE
    }

    /// Whether operations in progress may resume: over another channel or, if none can be created on this device, over
    /// the fallback.
    boolean mayGoOn(boolean hasFallback) {
        return reconnectHelps() || (hasFallback && recovery == Recovery.NEVER);
    }

    boolean reconnectHelps() {
        return switch (recovery) {
            case RECONNECT, RECONNECT_ONCE, RECONNECT_WHEN_PORT_IS_ACTIVE -> true;
            case FAIL, NEVER -> false;
        };
    }

    /// Chooses the more informative of two failures of one channel that occurred close together. A flushed work request
    /// shows only that the queue pair had been stopped, not why.
    ChannelFailure orBetter(ChannelFailure later) {
        return isFlush() && !later.isFlush() ? later : this;
    }

    /// The failure for operations that did not cause it, where the culprit has received the original.
    ChannelFailure forOthers() {
        var disturbance = new TransportException(
                StatusCode.UNAVAILABLE,
                "another request failed and ended the channel",
                cause.peer(),
                cause.errno(),
                cause.verbsStatus(),
                cause);
        return new ChannelFailure(disturbance, Recovery.RECONNECT);
    }

    private boolean isFlush() {
        String status = cause.verbsStatus();
        return status != null && status.startsWith(WorkStatus.WR_FLUSH_ERR.name());
    }

    /// The failure if another channel to the same incarnation has ended in this way before: a retry would end the same
    /// way.
    ChannelFailure again() {
        var mistake = new TransportException(
                StatusCode.INTERNAL,
                "the same failure ended an earlier channel to the same process",
                cause.peer(),
                cause.errno(),
                cause.verbsStatus(),
                cause);
        return new ChannelFailure(mistake, Recovery.FAIL);
    }

    /// Maps a work request that did not succeed.
    ///
    /// @param vendorError the vendor's error code; 0 if none
    /// @throws IllegalArgumentException if `status` is a success
    static ChannelFailure ofCompletion(String peer, WorkKind kind, WorkStatus status, int vendorError) {
        Finding finding = findingOf(status, kind);
        String verbs =
                vendorError == 0 ? status.name() : status + ", vendor error 0x" + Integer.toHexString(vendorError);
        return finding.at(peer, "a work request (" + kind + ") failed: " + finding.why, verbs);
    }

    private static Finding findingOf(WorkStatus status, WorkKind kind) {
        return switch (status) {
            case SUCCESS -> throw new IllegalArgumentException("SUCCESS is not a failure");
            case WR_FLUSH_ERR -> disturbed("the queue pair was stopped before the request was executed");
            case RETRY_EXC_ERR -> disturbed("the peer does not answer: it is gone or cannot be reached");
            case RNR_RETRY_EXC_ERR -> disturbed("the peer posted no receive for too long");
            case REM_OP_ERR -> disturbed("the peer's device could not execute the request");
            case REM_ABORT_ERR -> disturbed("the peer's device aborted the request");
            case RESP_TIMEOUT_ERR -> disturbed("the peer's device answered too late");
            case BAD_RESP_ERR -> disturbed("the peer's device sent an unexpected response");
            case FATAL_ERR -> disturbed("the device failed to execute the request");
            case GENERAL_ERR -> disturbed("the device gives no reason");
            // The system takes the device from a dying process step by step, and memory regions may go first.
            case REM_ACCESS_ERR ->
                new Finding(
                        Recovery.RECONNECT_ONCE,
                        "this end cannot access the peer's memory: its process has died, or it named wrong memory");
            case REM_INV_REQ_ERR -> hopeless("the peer's queue pair does not accept the request");
            case LOC_LEN_ERR ->
                hopeless(
                        kind == WorkKind.RECEIVE
                                ? "the peer sent a message where only writes are allowed"
                                : "the request is longer than the device supports");
            case LOC_ACCESS_ERR -> hopeless("the peer wrote where it is not allowed to");
            case LOC_PROT_ERR -> hopeless("memory of this end is no longer registered");
            case LOC_QP_OP_ERR -> hopeless("the device does not support the request");
            case MW_BIND_ERR -> hopeless("a memory window could not be bound");
            case LOC_EEC_OP_ERR, LOC_RDD_VIOL_ERR, REM_INV_RD_REQ_ERR, INV_EECN_ERR, INV_EEC_STATE_ERR ->
                hopeless("only a reliable datagram can fail with this status");
        };
    }

    /// The recovery and message for a failure.
    private record Finding(Recovery recovery, String why) {
        ChannelFailure at(String peer, String message, String verbs) {
            StatusCode code = recovery == Recovery.FAIL ? StatusCode.INTERNAL : StatusCode.UNAVAILABLE;
            return new ChannelFailure(new TransportException(code, message, peer, 0, verbs, null), recovery);
        }
    }

    private static Finding disturbed(String why) {
        return new Finding(Recovery.RECONNECT, why);
    }

    private static Finding hopeless(String why) {
        return new Finding(Recovery.FAIL, why);
    }

    /// Returns the object that an event of this type concerns.
    public static Scope scopeOf(AsyncEvent.Type type) {
        return switch (type) {
            case QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR, PATH_MIG_ERR -> Scope.QUEUE_PAIR;
            case CQ_ERR -> Scope.COMPLETION_QUEUE;
            case PORT_ERR, PORT_ACTIVE -> Scope.PORT;
            case LID_CHANGE, PKEY_CHANGE, GID_CHANGE -> Scope.ADDRESS;
            case DEVICE_FATAL -> Scope.DEVICE;
            case COMM_EST, SQ_DRAINED, PATH_MIG -> Scope.NOTHING;
        };
    }

    /// Maps an event that ends channels.
    ///
    /// @param device the device's name
    /// @throws IllegalArgumentException if events of this type end no channel
    public static ChannelFailure ofEvent(AsyncEvent.Type type, String device, String peer) {
        Finding finding = findingOf(type, device);
        return finding.at(peer, finding.why, type.name());
    }

    private static Finding findingOf(AsyncEvent.Type type, String device) {
        return switch (type) {
            case QP_FATAL -> disturbed("a queue pair failed");
            case PATH_MIG_ERR -> disturbed("a queue pair lost its path");
            case QP_REQ_ERR -> hopeless("the peer sent a request that is not allowed");
            case QP_ACCESS_ERR -> hopeless("the peer wrote where it is not allowed to");
            case CQ_ERR -> disturbed("the completion queue failed");
            case PORT_ERR ->
                new Finding(Recovery.RECONNECT_WHEN_PORT_IS_ACTIVE, "the port of " + device + " went down");
            case DEVICE_FATAL -> new Finding(Recovery.NEVER, "the device " + device + " is broken");
            // The port may have become active again with another address.
            case PORT_ACTIVE, LID_CHANGE, PKEY_CHANGE, GID_CHANGE ->
                disturbed("the port of " + device + " no longer has the channel's address");
            case COMM_EST, SQ_DRAINED, PATH_MIG -> throw new IllegalArgumentException(type + " does not end a channel");
        };
    }

    /// Maps a data path verb that the device refused: a post or a notification request.
    static ChannelFailure ofRefusedCall(String peer, VerbsException refusal) {
        return new ChannelFailure(
                new TransportException(
                        StatusCode.UNAVAILABLE, "the device refused a call", peer, refusal.errno(), refusal),
                Recovery.RECONNECT);
    }

    /// Maps a completion queue that cannot be polled: it overran, or the device reported CQ_ERR for it.
    static ChannelFailure ofCompletionQueue(String peer, VerbsException refusal) {
        return new ChannelFailure(
                new TransportException(
                        StatusCode.UNAVAILABLE,
                        "the completion queue failed",
                        peer,
                        refusal.errno(),
                        AsyncEvent.Type.CQ_ERR.name(),
                        refusal),
                Recovery.RECONNECT);
    }

    static ChannelFailure ofMalformedMessage(String peer, MalformedMessageException why) {
        return ofBadPeer(peer, "the peer sent a malformed message: " + why.getMessage(), why);
    }

    static ChannelFailure ofViolation(String peer, ProtocolViolationException why) {
        return ofBadPeer(peer, "the peer broke the protocol: " + why.getMessage(), why);
    }

    private static ChannelFailure ofBadPeer(String peer, String what, RuntimeException why) {
        return new ChannelFailure(new TransportException(StatusCode.INTERNAL, what, peer, 0, why), Recovery.FAIL);
    }

    /// Maps an error of this library, which would recur.
    static ChannelFailure ofMistake(String peer, Throwable mistake) {
        return new ChannelFailure(
                new TransportException(StatusCode.INTERNAL, "a completion could not be handled", peer, 0, mistake),
                Recovery.FAIL);
    }

    /// Maps an end that the peers decide between themselves: silence, a new channel, a restart, a stop.
    ///
    /// @param mayResume whether the peer, as far as is known, may resume over another channel
    static ChannelFailure of(TransportException cause, boolean mayResume) {
        return new ChannelFailure(cause, mayResume ? Recovery.RECONNECT : Recovery.FAIL);
    }
}
