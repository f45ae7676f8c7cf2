/// The links to peers: set up channels by offer and answer, monitor the device, fall back, and report the status of
/// each peer. [io.tensorferry.verbs.link.RdmaAdapter] is the entry point for the layers above.
package io.tensorferry.verbs.link;
