/// Decides before the first step how each tensor of a data-flow graph travels, and where it lands.
///
/// A training runtime calls [io.tensorferry.verbs.placement.PlacementPlanner] with the edges of its graph that go
/// between workers. The plan says which of them are written straight into a place that stays the same for the whole
/// computation (static), which bring their metadata along in each step (dynamic), and which are asked for one by one
/// (rendezvous); and it lays the static ones of each consumer into few bytes of registered memory.
///
/// Pure: no class here knows a device, memory or a thread, and all depend on `io.tensorferry.api` alone. The same
/// edges and options give the same plan everywhere, in whatever order the edges come, so that both ends of an edge can
/// plan for themselves and agree.
package io.tensorferry.verbs.placement;
