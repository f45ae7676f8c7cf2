/// The device that tests, benchmarks and samples of raw verbs run on. For this project's own programs only.
package io.tensorferry.it.device;
