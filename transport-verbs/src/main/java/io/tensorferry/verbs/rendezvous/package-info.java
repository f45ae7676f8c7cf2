/// The protocol: who asks for a tensor, who has it, and the steps between them.
package io.tensorferry.verbs.rendezvous;
