/// The channel to one peer: its set-up, its ring of control messages with credits, its data lanes, and the loop
/// that owns them all.
///
/// The rendezvous layer hands a channel messages to send and contents to write and is told what arrives. This
/// package knows no tensor and no key.
package io.tensorferry.verbs.channel;
