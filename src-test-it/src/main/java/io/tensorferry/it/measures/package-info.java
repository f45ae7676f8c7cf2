/// Measures of the code itself: the classes that a warm receive passes, and the files and lines of each package.
/// [io.tensorferry.it.measures.Measures] is the command.
package io.tensorferry.it.measures;
