/// The way to each peer: sets up channels by offer and answer, watches the device, falls back, and reports the status
/// of
/// each peer. [io.tensorferry.verbs.link.RdmaAdapter] is the entrance for the rooms above.
package io.tensorferry.verbs.link;
