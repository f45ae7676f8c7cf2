/// The serialised form of string tensors, as `TensorProto`. Depends on `memory` for the bytes and on no channel.
package io.tensorferry.verbs.rendezvous.strings;
