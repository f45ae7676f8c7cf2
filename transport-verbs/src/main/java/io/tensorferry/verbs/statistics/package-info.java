/// Everything that a user reads while a server runs: immutable pictures of memory, channels, peers, edges and
/// accelerators at one moment.
package io.tensorferry.verbs.statistics;
