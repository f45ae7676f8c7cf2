package io.tensorferry.verbs.channel.lane;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.setup.ChannelContext;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.loop.CompletionLoop;
import io.tensorferry.verbs.loop.Tell;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Grants an rkey for each request: a memory window bound to the request's memory, on the lane of the content. It is
/// bound before the message that names it is sent, and invalidated before the memory is reused.
///
/// Owner: the loop.
public final class WindowKeys implements RemoteKeys {
    private final WindowPool pool;
    private final OutgoingRing outgoing;
    private final List<Lane> lanes;
    private final Runnable pumpChannel;
    /// Grants that have not ended, oldest first.
    private final Set<WindowGrant> live = new LinkedHashSet<>();
    private final LinkedHashSet<WindowGrant> withoutWindow = new LinkedHashSet<>();
    private final CompletionLoop loop;
    private final long mostBytes;
    private final String peer;
    private boolean open = true;

    /// @param peer the peer's worker name
    /// @param lanes lanes of the channel
    /// @param pumpChannel posts the channel's pending work, including the work of this class
    public WindowKeys(
            ChannelContext context, String peer, OutgoingRing outgoing, List<Lane> lanes, Runnable pumpChannel) {
        this.loop = context.loop();
        this.mostBytes = context.mostGrantedBytes();
        this.peer = peer;
        this.pumpChannel = pumpChannel;
        this.outgoing = outgoing;
        this.lanes = lanes;
        this.pool = new WindowPool(context, this::onWindows, this::onNoWindows);
    }

    @Override
    public MemoryGrant grant(NamedMemory memory, Lane lane, MemoryNaming naming) {
        var grant = new WindowGrant(this, memory, lane, naming);
        live.add(grant);
        outgoing.enqueue(grant);
        if (memory.length() > mostBytes) {
            // Not at once: the requester does not have the grant yet.
            loop.execute(() -> onTooLarge(grant));
        } else {
            withoutWindow.add(grant);
            onWindows();
        }
        return grant;
    }

    private void onTooLarge(WindowGrant grant) {
        if (grant.state() == WindowGrant.State.WAITING) {
            refuse(
                    grant,
                    new TransportException(
                            StatusCode.RESOURCE_EXHAUSTED,
                            grant.memory().length() + " bytes exceed the " + mostBytes
                                    + " that a memory window of the device can cover; RDMA_RKEY_SCOPE=slab needs none",
                            peer,
                            0,
                            null));
        }
    }

    /// Handles the device's refusal to bind a grant's window. Nothing else is affected, and the window is unchanged.
    void onBindRefused(WindowGrant grant, VerbsException refusal) {
        refuseBind(
                grant,
                new TransportException(
                        StatusCode.INTERNAL,
                        "the device refused to bind a memory window of "
                                + grant.memory().length() + " bytes",
                        peer,
                        refusal.errno(),
                        refusal));
    }

    @Override
    public void onBindFailed(WindowGrant grant, TransportException cause) {
        refuseBind(grant, cause);
    }

    private void refuseBind(WindowGrant grant, TransportException cause) {
        if (open) {
            pool.give(grant.window());
        }
        refuse(grant, cause);
        onWindows();
    }

    private void refuse(WindowGrant grant, TransportException cause) {
        live.remove(grant);
        grant.refuse(cause);
        pumpIfOpen();
    }

    /// Binds windows to waiting grants, as far as the pool has windows.
    private void onWindows() {
        if (!open) {
            return;
        }
        while (!withoutWindow.isEmpty()) {
            MemoryWindow window = pool.take();
            if (window == null) {
                break;
            }
            withoutWindow.removeFirst().bind(window);
        }
        pumpIfOpen();
    }

    private void onNoWindows(TransportException cause) {
        List<WindowGrant> refused = List.copyOf(withoutWindow);
        withoutWindow.clear();
        for (WindowGrant grant : refused) {
            live.remove(grant);
            grant.refuse(cause);
        }
        pumpIfOpen();
    }

    private void pumpIfOpen() {
        if (open) {
            pumpChannel.run();
        }
    }

    @Override
    public void pump() {
        if (open) {
            for (int i = 1; i < lanes.size(); i++) {
                lanes.get(i).pumpWindows(this);
            }
        }
    }

    @Override
    public void onBound(WindowGrant grant) {
        grant.onBound();
        pumpIfOpen();
    }

    @Override
    public void onInvalidated(WindowGrant grant) {
        pool.give(grant.window());
        live.remove(grant);
        grant.end();
        onWindows();
    }

    /// Removes a grant that never had a window.
    void forget(WindowGrant grant) {
        withoutWindow.remove(grant);
        live.remove(grant);
        pumpIfOpen();
    }

    void invalidate(Lane lane, WindowGrant grant) {
        if (open) {
            lane.enqueueInvalidation(grant);
            pumpIfOpen();
        }
    }

    @Override
    public List<MemoryWindow> close() {
        open = false;
        withoutWindow.clear();
        var windows = new ArrayList<MemoryWindow>();
        for (WindowGrant grant : live) {
            if (grant.state() != WindowGrant.State.WAITING) {
                windows.add(grant.window());
            }
        }
        windows.addAll(pool.close());
        return windows;
    }

    @Override
    public void end() {
        List<WindowGrant> ended = List.copyOf(live);
        live.clear();
        Tell.each("end a grant", ended, WindowGrant::end);
    }

    @Override
    public void strand() {
        Tell.each("strand a grant", live, WindowGrant::strand);
        live.clear();
    }
}
