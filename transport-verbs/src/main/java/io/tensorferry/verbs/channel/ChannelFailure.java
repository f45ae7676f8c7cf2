package io.tensorferry.verbs.channel;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.wire.MalformedMessageException;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import io.tensorferry.verbs.wire.WorkKind;

/// Why a channel ended: what its receives are told, and what may be tried afterwards.
///
/// The one place where a work completion that is no success, an asynchronous event, a refused call and a message that
/// breaks the protocol are turned into a status. Every value of [WorkStatus] and of [AsyncEvent.Type] is named, so
/// that a new one does not compile before somebody has thought about it. The table in docs/reliability.md has a row for
/// each.
///
/// Immutable.
///
/// @param cause what receives fail with, where they do: code, peer, what the device said
public record ChannelFailure(TransportException cause, Recovery recovery) {
    /// What may be tried after the end of a channel.
    public enum Recovery {
        /// The way was disturbed. Another channel to the same peer may well work, and what was under way goes on over
        /// it.
        RECONNECT,
        /// The same, once in the life of the peer's process: what looks like the end of that process is a mistake of an
        /// end if it comes again.
        RECONNECT_ONCE,
        /// The same, but not before the port is active again.
        RECONNECT_WHEN_PORT_IS_ACTIVE,
        /// The peer broke the protocol, or this end made a mistake that it would make again: what was under way
        /// fails. A later receive may set up another channel.
        FAIL,
        /// The device is broken: no channel can be made on it any more.
        NEVER
    }

    /// What an asynchronous event concerns, of the things that this transport uses.
    public enum Scope {
        NOTHING,
        QUEUE_PAIR,
        COMPLETION_QUEUE,
        PORT,
        ADDRESS,
        DEVICE
    }

    /// Whether what was under way may go on: over another channel or, where none can be made on this device, over the
    /// fallback.
    boolean mayGoOn(boolean hasFallback) {
        return reconnectHelps() || (hasFallback && recovery == Recovery.NEVER);
    }

    boolean reconnectHelps() {
        return switch (recovery) {
            case RECONNECT, RECONNECT_ONCE, RECONNECT_WHEN_PORT_IS_ACTIVE -> true;
            case FAIL, NEVER -> false;
        };
    }

    /// Of two failures of one channel that came close together, the one that says more: work that was flushed tells
    /// only that the queue pair had been stopped, not why.
    ChannelFailure orBetter(ChannelFailure later) {
        return isFlush() && !later.isFlush() ? later : this;
    }

    /// What those are told who did not cause it, where the one who did has been told.
    ChannelFailure forOthers() {
        var disturbance = new TransportException(
                StatusCode.UNAVAILABLE,
                "another request could not be carried out, and ended the channel",
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

    /// The same, on another channel to a process that went on after one had ended so: asking again would end so again.
    ChannelFailure again() {
        var mistake = new TransportException(
                StatusCode.INTERNAL,
                "this has ended a channel to the same process before",
                cause.peer(),
                cause.errno(),
                cause.verbsStatus(),
                cause);
        return new ChannelFailure(mistake, Recovery.FAIL);
    }

    /// A work request that did not succeed.
    ///
    /// @param vendorError what the vendor's documents explain; 0 for nothing
    /// @throws IllegalArgumentException if `status` is a success
    static ChannelFailure ofCompletion(String peer, WorkKind kind, WorkStatus status, int vendorError) {
        Finding finding = findingOf(status, kind);
        String verbs =
                vendorError == 0 ? status.name() : status + ", vendor error 0x" + Integer.toHexString(vendorError);
        return finding.at(peer, "a work request (" + kind + ") failed: " + finding.why, verbs);
    }

    private static Finding findingOf(WorkStatus status, WorkKind kind) {
        return switch (status) {
            case SUCCESS -> throw new IllegalArgumentException("a success is no failure");
            case WR_FLUSH_ERR -> disturbed("the queue pair was stopped before it was carried out");
            case RETRY_EXC_ERR -> disturbed("the peer does not answer: it is gone or cannot be reached");
            case RNR_RETRY_EXC_ERR -> disturbed("the peer posted no receive for too long");
            case REM_OP_ERR -> disturbed("the peer's device could not carry it out");
            case REM_ABORT_ERR -> disturbed("the peer's device aborted it");
            case RESP_TIMEOUT_ERR -> disturbed("the peer's device answered too late");
            case BAD_RESP_ERR -> disturbed("the peer's device gave an answer that makes no sense");
            case FATAL_ERR -> disturbed("the device failed at it");
            case GENERAL_ERR -> disturbed("the device gives no reason");
            // The system takes a process that dies from the device piece by piece, and memory may go first.
            case REM_ACCESS_ERR ->
                new Finding(
                        Recovery.RECONNECT_ONCE,
                        "the peer's memory is not there for this end: its process has died, or it named wrong memory");
            case REM_INV_REQ_ERR -> hopeless("the peer's queue pair does not take such a request");
            case LOC_LEN_ERR ->
                hopeless(
                        kind == WorkKind.RECEIVE
                                ? "the peer sent a message where only writes are allowed"
                                : "it is longer than the device takes");
            case LOC_ACCESS_ERR -> hopeless("the peer wrote where it is not allowed to");
            case LOC_PROT_ERR -> hopeless("memory of this end is not registered any more");
            case LOC_QP_OP_ERR -> hopeless("the device does not take such a request");
            case MW_BIND_ERR -> hopeless("a memory window could not be bound");
            case LOC_EEC_OP_ERR, LOC_RDD_VIOL_ERR, REM_INV_RD_REQ_ERR, INV_EECN_ERR, INV_EEC_STATE_ERR ->
                hopeless("only a reliable datagram can end so, and this is none");
        };
    }

    /// What a failure means.
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

    /// What an event of this type concerns.
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

    /// An event that ends channels.
    ///
    /// @param device the device's name
    /// @throws IllegalArgumentException if events of this type end none
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
            // The port may have come back with another address.
            case PORT_ACTIVE, LID_CHANGE, PKEY_CHANGE, GID_CHANGE ->
                disturbed("the port of " + device + " has another address than the channel");
            case COMM_EST, SQ_DRAINED, PATH_MIG -> throw new IllegalArgumentException(type + " ends no channel");
        };
    }

    /// A verb of the data path that the device refused: posting, or asking for a notification.
    static ChannelFailure ofRefusedCall(String peer, VerbsException refusal) {
        return new ChannelFailure(
                new TransportException(
                        StatusCode.UNAVAILABLE, "the device refused a call", peer, refusal.errno(), refusal),
                Recovery.RECONNECT);
    }

    /// A completion queue that cannot be polled: it was overrun, or CQ_ERR was reported of it.
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

    /// A mistake of this library, which would be made again.
    static ChannelFailure ofMistake(String peer, Throwable mistake) {
        return new ChannelFailure(
                new TransportException(StatusCode.INTERNAL, "a completion could not be handled", peer, 0, mistake),
                Recovery.FAIL);
    }

    /// What the ends of a channel agree on between themselves: silence, a new channel, a restart, a stop.
    ///
    /// @param mayResume whether the peer, as far as is known, may go on over another channel
    static ChannelFailure of(TransportException cause, boolean mayResume) {
        return new ChannelFailure(cause, mayResume ? Recovery.RECONNECT : Recovery.FAIL);
    }
}
