/// Tensors whose rows lie on several workers, and gathers that read rows by RDMA READ.
///
/// [PartitionManager] opens them. [BlockPlan] is pure: it turns ids into reads. Planning and copying are done by the
/// workers; reads are posted, and all that channels tell is heard, on the completion loop, which owns everything else.
@NullMarked
package io.tensorferry.verbs.partition;

import org.jspecify.annotations.NullMarked;
