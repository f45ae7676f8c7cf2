/// Programs that talk with programs of others: over queue pairs, without anything of the transport above them, with
/// programs which nobody of this project wrote; and, among the tests, over the whole transport with a second
/// implementation of the protocol.
package io.tensorferry.it.interop;
