package io.tensorferry.verbs.link;

import io.tensorferry.verbs.channel.setup.ChannelContext;

/// The resources shared by the links of one adapter. Immutable.
///
/// @param channels the resources shared by the channels
/// @param exchange carries offers to peers
record LinkContext(ChannelContext channels, EndpointExchange exchange, PeerStatuses peers, DeviceHealth health) {}
