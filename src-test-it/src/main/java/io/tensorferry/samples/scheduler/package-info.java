/// A scheduler as a training runtime has one, for operators that wait for tensors without a thread.
package io.tensorferry.samples.scheduler;
