/// Static and dynamic edges: repeated tensors of one key. The producer writes a static edge's tensors into memory that
/// the consumer has named once; the consumer reads a dynamic edge's tensors with RDMA READ.
///
/// [EdgeManager] opens both ends. The completion loop owns all state except tensors just sent by a producer or just
/// taken by a consumer; channel events and user requests are processed there.
@NullMarked
package io.tensorferry.verbs.edge;

import org.jspecify.annotations.NullMarked;
