/// Receives as both protocols share them: a receive with its deadline and its callback, the executor of callbacks, and
/// the move of a result to the device that it is wanted on.
package io.tensorferry.verbs.rendezvous;
