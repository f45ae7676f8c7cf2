package io.tensorferry.verbs.link;

import io.tensorferry.verbs.channel.setup.ChannelContext;

/// What the links of one adapter share. Immutable.
///
/// @param channels what the channels share
/// @param exchange carries offers to peers
record LinkContext(ChannelContext channels, EndpointExchange exchange, PeerStatuses peers, DeviceHealth health) {}
