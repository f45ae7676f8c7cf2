/// Rows of a partitioned tensor, read from one other process.
package io.tensorferry.it.benchmark.gather;
