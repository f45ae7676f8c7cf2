/// The programs of the README and of `docs/getting-started.md`, complete. A test compares these files with the pages
/// and runs them.
///
/// Start with [io.tensorferry.samples.guide.FirstTensor].
package io.tensorferry.samples.guide;
