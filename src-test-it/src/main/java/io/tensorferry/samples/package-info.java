/// Programs that show how the transport is used. Start with [io.tensorferry.samples.ReadmeExample].
package io.tensorferry.samples;
