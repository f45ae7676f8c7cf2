/// Transfers that are not one write from host memory to host memory: from and to accelerators, through proxies or
/// directly by the NIC, and in pieces.
package io.tensorferry.verbs.rendezvous.staged;
