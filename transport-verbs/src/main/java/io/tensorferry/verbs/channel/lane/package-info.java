/// The components that post to a channel's queue pairs and await their completions: lanes, contents, reads, the ring of
/// control messages, credits, and the rkeys given to the peer. The loop owns all of them.
package io.tensorferry.verbs.channel.lane;
