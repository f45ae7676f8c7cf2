/// Shared code of device implementations: the table of queue-pair states, attribute ranges, memory window bindings, and
/// the count of open children. Used only by `verbs.device.ibverbs` and `verbs.device.software`.
package io.tensorferry.verbs.device.support;
