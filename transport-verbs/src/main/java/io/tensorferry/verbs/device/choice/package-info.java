/// The choice of device, port and GID, explained with every candidate.
package io.tensorferry.verbs.device.choice;
