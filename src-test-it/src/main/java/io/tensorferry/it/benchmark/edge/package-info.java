/// Static edges as one of the paths that are compared: a tensor is asked for by an empty one, and comes into memory
/// that was given once.
package io.tensorferry.it.benchmark.edge;
