/// What a command shows while it works. For the samples and the benchmarks.
package io.tensorferry.it.progress;
