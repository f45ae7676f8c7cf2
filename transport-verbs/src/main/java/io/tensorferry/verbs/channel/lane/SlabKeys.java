package io.tensorferry.verbs.channel.lane;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.MemoryWindow;
import java.util.List;

/// The keys of whole registrations: they are there already, and stay.
///
/// Owner: the loop.
public final class SlabKeys implements RemoteKeys {
    private final OutgoingRing outgoing;

    public SlabKeys(OutgoingRing outgoing) {
        this.outgoing = outgoing;
    }

    @Override
    public MemoryGrant grant(NamedMemory memory, Lane lane, MemoryNaming naming) {
        outgoing.enqueue(naming.message(memory.region().remoteKey()));
        return MemoryGrant.LASTING;
    }

    @Override
    public void pump() {
        // Nothing waits.
    }

    @Override
    public void onBound(WindowGrant grant) {
        throw new IllegalStateException("no window was bound");
    }

    @Override
    public void onBindFailed(WindowGrant grant, TransportException cause) {
        throw new IllegalStateException("no window was bound");
    }

    @Override
    public void onInvalidated(WindowGrant grant) {
        throw new IllegalStateException("no window was invalidated");
    }

    @Override
    public List<MemoryWindow> close() {
        // The keys end with their registrations.
        return List.of();
    }

    @Override
    public void end() {
        // Nothing waits.
    }

    @Override
    public void strand() {
        // Nothing waits.
    }
}
