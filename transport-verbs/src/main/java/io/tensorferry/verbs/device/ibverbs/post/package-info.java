/// The memory of work requests for libibverbs: structures that are made once and filled again for each request. Used by
/// `verbs.device.ibverbs` alone.
package io.tensorferry.verbs.device.ibverbs.post;
