/// Reusable native structures of work requests for libibverbs. Used only by `verbs.device.ibverbs`.
package io.tensorferry.verbs.device.ibverbs.post;
