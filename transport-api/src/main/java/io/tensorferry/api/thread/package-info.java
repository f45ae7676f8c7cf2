/// Marks for the threads of a transport, on which user code must neither block nor throw. For implementers of
/// transports.
package io.tensorferry.api.thread;
