/// Edges as measured paths: an empty tensor carries the request, and the content is written to preallocated memory
/// (static), or announced and read (dynamic).
package io.tensorferry.it.benchmark.edge;
