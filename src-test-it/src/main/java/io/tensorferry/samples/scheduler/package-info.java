/// A scheduler like that of a training runtime, for operators that wait for tensors without occupying a thread.
package io.tensorferry.samples.scheduler;
