/// Programs that demonstrate the transport. Start with the package `guide`.
package io.tensorferry.samples;
