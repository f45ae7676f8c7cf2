/// Programs that communicate with independent implementations: with libibverbs programs over queue pairs, without the
/// transport above them; and, among the tests, with a second implementation of the protocol over the complete
/// transport.
package io.tensorferry.it.interop;
