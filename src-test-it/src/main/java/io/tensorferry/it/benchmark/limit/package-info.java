/// The limits of all paths between two processes of one host: one copy through shared memory, and a plain TCP
/// connection.
package io.tensorferry.it.benchmark.limit;
