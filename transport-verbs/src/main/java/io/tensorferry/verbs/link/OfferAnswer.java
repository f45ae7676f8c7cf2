package io.tensorferry.verbs.link;

import io.tensorferry.verbs.channel.setup.ConnectionParameters;

/// A worker's answer to an offer.
public sealed interface OfferAnswer {
    /// The answering end has created its queue pairs with these parameters and is ready to receive. It writes only
    /// after `ready`.
    record Accepted(ConnectionParameters parameters) implements OfferAnswer {}

    /// Both ends dialled at once and the answering end's own offer wins. That offer is on its way and must be answered
    /// instead.
    record Yield() implements OfferAnswer {}
}
