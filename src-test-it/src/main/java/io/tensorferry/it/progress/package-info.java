/// Progress output of long-running commands. For the samples and the benchmarks.
package io.tensorferry.it.progress;
