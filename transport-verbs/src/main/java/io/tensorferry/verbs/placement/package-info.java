/// Decides before the first step how each tensor of a data-flow graph travels, and where it lands.
///
/// A training runtime calls [io.tensorferry.verbs.placement.PlacementPlanner] with the edges of its graph that connect
/// workers. The plan marks the edges whose tensors are written directly into a fixed place for the whole computation
/// (static), those whose metadata travels in each step (dynamic), and those requested one by one (rendezvous). It packs
/// the static tensors of each consumer into few bytes of registered memory.
///
/// Pure: no class here refers to a device, memory or a thread, and all depend only on `io.tensorferry.api`. Equal edges
/// and options give equal plans on every worker, in any order of the edges, so both ends of an edge can plan
/// independently and agree.
package io.tensorferry.verbs.placement;
