/// Edges as paths that are compared: an empty tensor asks, and the content comes into memory that was given once, or is
/// announced and read.
package io.tensorferry.it.benchmark.edge;
