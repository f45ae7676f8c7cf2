/// The channel to one peer: its set-up, its ring of control messages with credits, its data lanes, and its life cycle.
///
/// The rendezvous layer gives a channel messages to send and contents to write, and is notified of arrivals. This
/// package depends on neither tensors nor rendezvous keys.
package io.tensorferry.verbs.channel;
