/// Processes of this project's own: started, listened to, and ended in any case. For the samples, the benchmarks
/// and the process tests.
package io.tensorferry.it.process;
