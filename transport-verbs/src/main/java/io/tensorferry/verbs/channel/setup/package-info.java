/// What one end of a channel is made of, and what it tells the other end: queue pairs, ring memory, and the parameters
/// of
/// both ends. Used by `verbs.channel` and `verbs.link`.
package io.tensorferry.verbs.channel.setup;
