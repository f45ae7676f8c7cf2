/// Immutable snapshots for monitoring a running server: memory, channels, peers, edges and accelerators.
package io.tensorferry.verbs.statistics;
