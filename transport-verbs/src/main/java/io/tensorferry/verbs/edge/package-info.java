/// Edges: tensors of a known shape, written into memory that the consumer has given once, without a request.
///
/// [EdgeManager] opens both ends. What an end is told by its channel, and what its user asks of it, meet on the
/// completion loop, which owns all but what a producer has just sent and what a consumer has just taken.
@NullMarked
package io.tensorferry.verbs.edge;

import org.jspecify.annotations.NullMarked;
