/// What implementers of a device share: the table of queue-pair states, the ranges of attributes, the binding of memory
/// windows, and the count of open children. Used by `verbs.device.ibverbs` and `verbs.device.software` alone.
package io.tensorferry.verbs.device.support;
