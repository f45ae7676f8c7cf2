/// The data that two ends of a channel exchange besides tensor content: control messages, immediates, and the numbers
/// that both ends or a completion carry.
///
/// No class here depends on a device, a queue pair or a thread. The channel calls the codec; the rendezvous creates and
/// reads the messages. `docs/protocol.md` specifies the bytes, and tests check both against it.
///
/// Bytes from a peer are untrusted: [io.tensorferry.verbs.wire.MessageCodec#decode] turns any input into a valid
/// message or throws [io.tensorferry.verbs.wire.MalformedMessageException], and nothing else.
package io.tensorferry.verbs.wire;
