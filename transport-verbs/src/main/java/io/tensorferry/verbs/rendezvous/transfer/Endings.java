package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.wire.RequestIndex;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Remembers the endings of a peer's requests that had taken a tensor, in case the peer missed them. A repeated request
/// is answered with the remembered cause.
///
/// A peer has one live request in each slot of its indexes and repeats no other, so only the latest ending of each slot
/// is kept. No ending is lost that a peer may ask for, and there are never more than [RequestIndex#SLOTS].
///
/// Owner: the loop.
///
/// @param <C> the channel type of the requests
final class Endings<C> {
    private final Map<Integer, Ending<C>> bySlot = new HashMap<>();

    private record Ending<C>(int index, C channel, TransportException cause) {}

    /// Records the ending of a request.
    ///
    /// @param over the channel that the request came on
    void remember(int index, C over, TransportException cause) {
        bySlot.merge(
                RequestIndex.slot(index),
                new Ending<>(index, over, cause),
                (known, added) -> isLater(known.index, added.index) ? known : added);
    }

    /// Records the ending of a request, unless one is recorded already.
    void rememberUnlessKnown(int index, C over, TransportException cause) {
        Ending<C> known = bySlot.get(RequestIndex.slot(index));
        if (known == null || known.index != index) {
            remember(index, over, cause);
        }
    }

    /// Generations repeat after [RequestIndex#GENERATIONS]. The later of two generations follows the other by less than
    /// half of them.
    private static boolean isLater(int index, int other) {
        int ahead = Math.floorMod(
                RequestIndex.generation(index) - RequestIndex.generation(other), RequestIndex.GENERATIONS);
        return ahead > 0 && ahead <= RequestIndex.GENERATIONS / 2;
    }

    /// Removes and returns the cause that ended the request; null if none is recorded.
    @Nullable
    TransportException remove(int index) {
        Ending<C> known = bySlot.get(RequestIndex.slot(index));
        if (known == null || known.index != index) {
            return null;
        }
        bySlot.remove(RequestIndex.slot(index));
        return known.cause;
    }

    /// @param kept the channel whose endings are remembered; null for none
    void forgetAllBut(@Nullable C kept) {
        bySlot.values().removeIf(ending -> !ending.channel.equals(kept));
    }

    int size() {
        return bySlot.size();
    }
}
