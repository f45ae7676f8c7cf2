/// Selects the device for tests, benchmarks and samples of raw verbs. For this project's programs only.
package io.tensorferry.it.device;
