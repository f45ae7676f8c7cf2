package io.tensorferry.verbs.channel.lane;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.MemoryWindow;
import java.util.List;

/// The keys that one channel gives to its peer. A message that names memory goes out in its turn, when its key opens
/// that; those behind it wait.
///
/// Owner: the loop.
public interface RemoteKeys {
    /// Grants memory to the peer and queues the message that names it.
    ///
    /// @param lane over which the content comes
    MemoryGrant grant(NamedMemory memory, Lane lane, MemoryNaming naming);

    /// Posts what waits, as far as there is room.
    void pump();

    /// The window of a grant is bound.
    void onBound(WindowGrant grant);

    /// The bind of a grant's window has failed, and with it the queue pair; the grant's message is never sent.
    ///
    /// @param cause what whoever asked is told
    void onBindFailed(WindowGrant grant, TransportException cause);

    /// The window of a grant opens nothing any more.
    void onInvalidated(WindowGrant grant);

    /// The channel is lost and its queue pairs are stopped, but still there: nothing is granted any more.
    ///
    /// @return memory windows for the caller to close, off the loop and before the queue pairs
    List<MemoryWindow> close();

    /// The queue pairs are stopped or gone: what waited to be revoked is.
    void end();

    /// The same, but a queue pair goes on, as far as is known: who waited for memory to be revoked never gets it.
    void strand();
}
