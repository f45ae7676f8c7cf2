/// The whole transport on real threads and sockets, with several workers in one JVM.
package io.tensorferry.verbs.loopback;
