/// The bytes that two ends of a channel exchange besides tensor content: control messages, immediates, and the
/// numbers that both ends or a completion carry.
///
/// Pure: no class here knows a device, a queue pair or a thread. The channel calls the codec; the rendezvous makes
/// and reads the messages. What the bytes are is written down in `docs/protocol.md`, and tests hold both to it.
///
/// Bytes from a peer are hostile: [io.tensorferry.verbs.wire.MessageCodec#decode] answers any input with a valid
/// message or with [io.tensorferry.verbs.wire.MalformedMessageException], never with anything else.
package io.tensorferry.verbs.wire;
