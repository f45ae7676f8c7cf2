/// Packs what runs the tests of GPUs, and the command line, on a machine without a JDK, a Maven or a network.
package io.tensorferry.it.bundle;
