package io.tensorferry.verbs.link;

import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import java.util.concurrent.CompletableFuture;

/// The answering end of [EndpointExchange]: what a server calls when a peer's offer or ready arrives. The arguments
/// are a peer's and are checked here.
///
/// Threading: any thread; the calls return at once. A future fails with a [io.tensorferry.api.TransportException],
/// whose code is for the caller.
public interface EndpointAcceptor {
    CompletableFuture<OfferAnswer> onOffer(ConnectionParameters offer);

    CompletableFuture<Void> onReady(String peer, long incarnation, long connectionId);
}
