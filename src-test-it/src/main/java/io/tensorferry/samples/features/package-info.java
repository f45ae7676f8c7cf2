/// The features of a graph's nodes, partitioned over several workers and collected for batches of sampled
/// neighbourhoods, as the training of a graph neural network does before each step.
///
/// Start with [io.tensorferry.samples.features.FeatureCollection]. A published model generates the graph
/// ([io.tensorferry.samples.features.RmatGraph]); no data set is used.
package io.tensorferry.samples.features;
