/// The event loop of a device that other processes reach, and the parts that TCP and shared memory share: sockets
/// ([Connection]), the work of polling threads ([PolledWork]), and a link's view of both carriers ([Direction]).
///
/// Callers: the packages `stream`, `shared` and `connect`.
package io.tensorferry.verbs.device.software.loop;
