/// The loop that owns all channels of an adapter, the thread that turns it, and the background threads for work that
/// may
/// block. The loop knows a [io.tensorferry.verbs.loop.Pollable], not a channel.
package io.tensorferry.verbs.loop;
