/// `tensorferry devices`: what there is, and what would be taken.
package io.tensorferry.cli.devices;
