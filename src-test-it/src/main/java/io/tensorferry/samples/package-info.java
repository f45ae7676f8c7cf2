/// Programs that show how the transport is used. Start with the package `guide`.
package io.tensorferry.samples;
