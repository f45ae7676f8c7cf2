/// Chooses the device, the port and the GID, and explains the choice with every candidate.
package io.tensorferry.verbs.device.choice;
