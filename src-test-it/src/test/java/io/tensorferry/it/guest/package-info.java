/// Tests in the guest: a kernel with Soft-RoCE, which runs as a process on a machine that has no RDMA device. The
/// guest itself is in `src-test-it/guest`, with a README.
///
/// [Guest] runs a command in it. [GuestSuite] runs test classes there, and says what becomes of each test; the `*IT`
/// classes here make tests of the host's own of that ([SuiteReplay]), so that every single one is in the report.
/// Where the guest cannot run they are skipped, with the reason.
package io.tensorferry.it.guest;
