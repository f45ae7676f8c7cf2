/// Receives as both protocols share them: a receive with its deadline and its callback, the executor of callbacks, and
/// the move of a result to the requested device.
package io.tensorferry.verbs.rendezvous;
