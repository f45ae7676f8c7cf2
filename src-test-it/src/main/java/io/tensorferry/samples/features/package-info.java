/// The features of a graph's nodes, spread over several workers and collected for batches of sampled
/// neighbourhoods: what the training of a graph neural network does before each step.
///
/// Start with [io.tensorferry.samples.features.FeatureCollection]. The graph is made by a published model
/// ([io.tensorferry.samples.features.RmatGraph]); no data set is used.
package io.tensorferry.samples.features;
