package io.tensorferry.verbs.channel.lane;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.MemoryWindow;
import java.util.List;

/// The rkeys that one channel gives to its peer. A message that names memory is sent in its order, once its rkey opens
/// that memory; later messages wait for it.
///
/// Owner: the loop.
public interface RemoteKeys {
    /// Grants memory to the peer and queues the message that names it.
    ///
    /// @param lane the lane of the content
    MemoryGrant grant(NamedMemory memory, Lane lane, MemoryNaming naming);

    /// Posts pending work, as far as the send queues have room.
    void pump();

    /// Called when the window of a grant is bound.
    void onBound(WindowGrant grant);

    /// Called when the bind of a grant's window has failed, and with it the queue pair. The grant's message is never
    /// sent.
    ///
    /// @param cause the failure given to the requester
    void onBindFailed(WindowGrant grant, TransportException cause);

    /// Called when the window of a grant is invalidated.
    void onInvalidated(WindowGrant grant);

    /// Stops granting, because the channel is lost. Its queue pairs are stopped but not yet destroyed.
    ///
    /// @return memory windows that the caller closes, off the loop and before the queue pairs
    List<MemoryWindow> close();

    /// Completes all pending revocations, because the queue pairs are stopped or destroyed.
    void end();

    /// Abandons all pending revocations, because a queue pair may still be active. Their callbacks are never called.
    void strand();
}
