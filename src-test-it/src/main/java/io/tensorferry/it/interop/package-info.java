/// Programs that talk with programs which nobody of this project wrote, over queue pairs and without anything of the
/// transport above them.
package io.tensorferry.it.interop;
