package io.tensorferry.verbs.channel.lane;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.wire.OutgoingMessage;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A memory window bound to one request's memory, from the request's message to its end. Also that message, which waits
/// for the window's rkey.
///
/// ```
/// WAITING  -- window available -->  BINDING: the bind is posted, or waits for a slot of the send queue
/// BINDING  -- bound -->             BOUND: the message is sent
/// BINDING  -- bind refused -->      ENDED: the requester is notified
/// BINDING, BOUND -- revoke -->      REVOKING: the invalidation is posted, or waits
/// REVOKING -- bind refused -->      ENDED: no window to invalidate
/// REVOKING -- invalidated -->       ENDED: the memory and the window are free
/// WAITING  -- revoke, no window --> ENDED
/// any      -- channel gone -->      ENDED
/// ```
///
/// Owner: the loop.
public final class WindowGrant implements MemoryGrant, OutgoingMessage {
    enum State {
        WAITING,
        BINDING,
        BOUND,
        REVOKING,
        ENDED
    }

    private final WindowKeys keys;
    private final NamedMemory memory;
    private final Lane lane;
    private final MemoryNaming naming;
    private State state = State.WAITING;
    private @Nullable MemoryWindow window;
    private @Nullable OutgoingMessage message;
    private Revoked then = () -> {};

    WindowGrant(WindowKeys keys, NamedMemory memory, Lane lane, MemoryNaming naming) {
        this.keys = keys;
        this.memory = memory;
        this.lane = lane;
        this.naming = naming;
    }

    State state() {
        return state;
    }

    /// Whether the message must wait for the bind.
    boolean awaitsBind() {
        return state == State.WAITING || state == State.BINDING;
    }

    /// Whether a bind may be in progress: the state is BINDING or REVOKING.
    public boolean awaitsBindOrRevocation() {
        return state == State.BINDING || state == State.REVOKING;
    }

    NamedMemory memory() {
        return memory;
    }

    MemoryWindow window() {
        MemoryWindow bound = window;
        if (bound == null) {
            throw new IllegalStateException("the grant has no window in state " + state);
        }
        return bound;
    }

    /// The message; its rkey is known once the bind is posted.
    private OutgoingMessage message() {
        OutgoingMessage made = message;
        if (made == null) {
            made = naming.message(window().remoteKey());
            message = made;
        }
        return made;
    }

    @Override
    public int encodedSize() {
        return message().encodedSize();
    }

    @Override
    public int shortestSize() {
        return message().shortestSize();
    }

    @Override
    public int encode(MemorySegment target, long offset, int room) {
        return message().encode(target, offset, room);
    }

    void bind(MemoryWindow free) {
        window = free;
        state = State.BINDING;
        lane.enqueueBind(this);
    }

    void onBound() {
        if (state == State.BINDING) {
            state = State.BOUND;
        }
    }

    @Override
    public void revoke(Revoked then) {
        switch (state) {
            case WAITING -> {
                state = State.ENDED;
                keys.forget(this);
                then.onRevoked();
            }
            case BINDING, BOUND -> {
                state = State.REVOKING;
                this.then = then;
                keys.invalidate(lane, this);
            }
            case REVOKING -> throw new IllegalStateException("the grant is already being revoked");
            case ENDED -> then.onRevoked();
        }
    }

    /// Ends the grant without a bound window and notifies the requester, or completes the revocation if one is pending.
    void refuse(TransportException cause) {
        if (state == State.REVOKING) {
            end();
            return;
        }
        state = State.ENDED;
        window = null;
        naming.onRefused(cause);
    }

    /// Ends the grant without a callback, because the window may still be bound.
    void strand() {
        state = State.ENDED;
        window = null;
        then = () -> {};
    }

    /// Ends the grant: the window opens nothing any more.
    void end() {
        state = State.ENDED;
        window = null;
        Revoked waiting = then;
        then = () -> {};
        waiting.onRevoked();
    }
}
