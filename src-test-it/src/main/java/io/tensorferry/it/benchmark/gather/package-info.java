/// Rows of a partitioned tensor, read from another process.
package io.tensorferry.it.benchmark.gather;
