/// Watches the loops of this process while tests run, and fails a test in which one of them did what a loop must not
/// do.
package io.tensorferry.it.watch;
