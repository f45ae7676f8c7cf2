package io.tensorferry.verbs.channel.lane;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.MemoryWindow;
import java.util.List;

/// Grants the rkeys of whole memory regions, which exist already and stay valid.
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
        // Nothing is pending.
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
        // The rkeys end with their memory regions.
        return List.of();
    }

    @Override
    public void end() {
        // Nothing is pending.
    }

    @Override
    public void strand() {
        // Nothing is pending.
    }
}
