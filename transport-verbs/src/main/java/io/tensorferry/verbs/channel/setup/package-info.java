/// The resources of one end of a channel and the parameters exchanged with the peer: queue pairs, ring memory,
/// connection parameters. Used by `verbs.channel` and `verbs.link`.
package io.tensorferry.verbs.channel.setup;
