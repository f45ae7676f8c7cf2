package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.wire.RequestIndex;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How requests of one peer ended that took a tensor, where the peer may not have heard of it: what it is told if it
/// asks again.
///
/// A peer has one live request in each slot of its indexes and asks again for no other, so of each slot only the
/// latest ending is kept: nothing that a peer may ask for is forgotten, and there are never more than
/// [RequestIndex#SLOTS].
///
/// Owner: the loop.
///
/// @param <C> the channel that a request comes on
final class Endings<C> {
    private final Map<Integer, Ending<C>> bySlot = new HashMap<>();

    private record Ending<C>(int index, C channel, TransportException cause) {}

    /// The request has ended so.
    ///
    /// @param over the channel that it came on
    void remember(int index, C over, TransportException cause) {
        bySlot.merge(
                RequestIndex.slot(index),
                new Ending<>(index, over, cause),
                (known, added) -> isLater(known.index, added.index) ? known : added);
    }

    /// The same, unless an ending of the request is known already.
    void rememberUnlessKnown(int index, C over, TransportException cause) {
        Ending<C> known = bySlot.get(RequestIndex.slot(index));
        if (known == null || known.index != index) {
            remember(index, over, cause);
        }
    }

    /// Generations come again after [RequestIndex#GENERATIONS]; the later of two is the one that follows the other by
    /// less than half of them.
    private static boolean isLater(int index, int other) {
        int ahead = Math.floorMod(
                RequestIndex.generation(index) - RequestIndex.generation(other), RequestIndex.GENERATIONS);
        return ahead > 0 && ahead <= RequestIndex.GENERATIONS / 2;
    }

    /// Forgets how the request ended, and returns why; null if nothing of it is known.
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
