/// Counts what ran on which device, for the one line with which `mvn verify` ends.
///
/// A test class that shows something of a device says so by [DeviceTests]. [TallyListener] counts in the JVMs that
/// run the tests, and [VerifySummary] prints when all have ended.
package io.tensorferry.it.tally;
