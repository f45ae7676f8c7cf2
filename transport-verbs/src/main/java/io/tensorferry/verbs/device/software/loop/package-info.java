/// The event loop of a device that other processes reach, and what TCP and shared memory both need of it: sockets
/// ([Connection]), the work of threads that poll ([PolledWork]), and the two methods that a link sees of either carrier
/// ([Direction]).
///
/// For the packages `stream`, `shared` and `connect`.
package io.tensorferry.verbs.device.software.loop;
