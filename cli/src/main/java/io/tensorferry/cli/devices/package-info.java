/// `tensorferry devices`: lists the RDMA devices and GPUs, and explains which device a server would choose.
package io.tensorferry.cli.devices;
