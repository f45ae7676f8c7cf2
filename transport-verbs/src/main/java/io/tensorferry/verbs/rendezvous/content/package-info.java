/// The content of a transfer at both ends: the memory that it is sent from, and the destination that it lands in.
package io.tensorferry.verbs.rendezvous.content;
