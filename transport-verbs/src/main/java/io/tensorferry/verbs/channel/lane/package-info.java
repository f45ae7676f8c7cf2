/// What a channel posts and awaits on its queue pairs: lanes, contents, reads, the ring of control messages, credits,
/// and
/// the keys to memory that it gives to the peer. All of it belongs to the loop.
package io.tensorferry.verbs.channel.lane;
