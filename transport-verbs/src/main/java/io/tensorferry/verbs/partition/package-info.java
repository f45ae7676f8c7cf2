/// Tensors whose rows lie on several workers, and gathers that read rows by RDMA READ.
///
/// [PartitionManager] opens them. [BlockPlan] is pure: it turns ids into reads. Worker threads plan and copy. The
/// completion loop owns everything else: it posts the reads and handles the events of the channels.
@NullMarked
package io.tensorferry.verbs.partition;

import org.jspecify.annotations.NullMarked;
