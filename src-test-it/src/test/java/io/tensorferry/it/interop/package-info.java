/// Tests against programs that nobody of this project wrote.
package io.tensorferry.it.interop;
