/// The event loop that owns all channels of an adapter, the thread that turns it, and the background threads for work
/// that may block. The loop depends on [io.tensorferry.verbs.loop.Pollable], not on channels.
package io.tensorferry.verbs.loop;
