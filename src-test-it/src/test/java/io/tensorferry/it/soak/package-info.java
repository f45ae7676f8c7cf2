/// What a process and its device hold, counted from outside: by the kernel. For tests that show that nothing is left
/// behind.
package io.tensorferry.it.soak;
